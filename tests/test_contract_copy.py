"""The copy of the contract is the contract. The original lies beside the project's home; elsewhere there is no test."""

from __future__ import annotations

from pathlib import Path

import pytest

COPY = Path(__file__).parent / "contract"
ORIGINAL = Path(__file__).parents[2] / "shared" / "contract"

if ORIGINAL.is_dir():

    @pytest.mark.parametrize("name", sorted(path.name for path in ORIGINAL.iterdir()))
    def test_a_page_of_the_copy_is_the_original_byte_for_byte(name):
        assert (COPY / name).read_bytes() == (ORIGINAL / name).read_bytes()
