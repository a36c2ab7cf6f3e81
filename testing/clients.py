"""The vendor's clients for a stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryline.testing.plane import ControlPlane
from dryline.world import proxies
from dryline.world.origins import ARRANGED, ORIGIN_HEADER, TEST, Origin

if TYPE_CHECKING:
    from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class Clients(ControlPlane):
    """The helpers that make clients of the vendor."""

    api_key: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the vendor's client reads; if proxies are set, those to pass them by, too."""
        self._require_running()
        variables = {"BRAINBASE_LABS_BASE_URL": self.url, "BRAINBASE_LABS_API_KEY": self.api_key}
        return variables | proxies.direct_variables(self.url)

    def _require_running(self) -> None:
        """Raise DrylineError if the stand-in has not been started or has been stopped."""

    def client(self, **options: Any) -> BrainbaseLabs:
        """Return the vendor's client for this stand-in; `options` go to the client."""
        from brainbase_labs import BrainbaseLabs  # noqa: PLC0415  # an optional package

        return BrainbaseLabs(**self._client_options(options))

    def async_client(self, **options: Any) -> AsyncBrainbaseLabs:
        """Return the vendor's async client for this stand-in."""
        from brainbase_labs import AsyncBrainbaseLabs  # noqa: PLC0415  # an optional package

        return AsyncBrainbaseLabs(**self._client_options(options, is_async=True))

    def _arranging_client(self) -> BrainbaseLabs:
        """Return a client whose requests meet no fault, and which searches of the request log leave out."""
        from brainbase_labs import BrainbaseLabs  # noqa: PLC0415  # an optional package

        token = {"x-dryline-token": self._token} if self._token else {}
        options = {"max_retries": 0, "timeout": self.timeout_s, "default_headers": token}
        return BrainbaseLabs(**self._client_options(options, origin=ARRANGED))

    def _client_options(
        self, options: dict[str, Any], *, is_async: bool = False, origin: Origin = TEST
    ) -> dict[str, Any]:
        """Return the options of a client of the vendor. A header says the origin of its requests."""
        self._require_running()
        headers = {ORIGIN_HEADER: origin, **options.get("default_headers", {})}
        options = {"base_url": self.url, "api_key": self.api_key, **options, "default_headers": headers}
        if "http_client" not in options:
            from dryline.testing.vendor_clients import DirectAsyncHttpClient, DirectHttpClient  # noqa: PLC0415  # an optional package

            client = DirectAsyncHttpClient if is_async else DirectHttpClient
            needs_tls = self.url.startswith("https://")  # a TLS context takes 20 ms to make
            direct = {"base_url": self.url, "trust_env": False, "verify": needs_tls, **self._transport()}
            options["http_client"] = client(**direct)
        return options

    def _transport(self) -> dict[str, Any]:
        """Return the option `transport` of an httpx client, or no option if a socket is used."""
        return {}
