"""Contact rows from CSV text, such as from a spreadsheet."""

import csv
import io
from dataclasses import dataclass, field

DELIMITERS = ",;\t"


@dataclass(slots=True)
class Contacts:
    """The content of CSV text: `rows` by line number, from 1, and `faults`, the lines that are not rows."""

    columns: list[str] = field(default_factory=list)
    rows: dict[int, dict[str, str]] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)


def read_contacts(text: str) -> Contacts:
    """Return the rows of CSV text. Its first line names the columns; commas, semicolons or tabs separate cells."""
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    contacts = Contacts()
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        contacts.columns = [name.strip() for name in next(reader, [])]
        if fault := _header_fault(contacts.columns):
            contacts.faults[1] = fault
            return contacts
        width = len(contacts.columns)
        for cells in reader:
            surplus_cells = cells[width:]
            if any(surplus_cells):
                contacts.faults[reader.line_num] = f"It has {len(cells)} values for {width} columns."
            elif any(cell.strip() for cell in cells):
                cells += [""] * (width - len(cells))
                contacts.rows[reader.line_num] = dict(zip(contacts.columns, map(str.strip, cells), strict=False))
    except csv.Error as error:
        contacts.faults[reader.line_num] = f"It cannot be read: {error}."
    return contacts


def _header_fault(columns: list[str]) -> str | None:
    if not any(columns):
        return "There are no rows: the first line names the columns, each further line is a row."
    if not all(columns):
        return "A column has no name."
    twice = next((name for name in columns if columns.count(name) > 1), None)
    return f"Two columns are named {twice!r}." if twice else None
