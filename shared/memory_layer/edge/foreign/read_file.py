"""Readers of other tools' files by the name of their format."""

from typing import Literal

from memory_layer.usecases.transfer.foreign_file import ForeignFile

ForeignFormat = Literal["csv", "markdown", "ralph"]


def read_foreign(format: ForeignFormat, text: str, name: str | None) -> ForeignFile:
    """Contents of a file; each reader is loaded when it is needed. Args: name: of a Markdown file: it is followed.

    Raises:
        Malformed, Invalid: it is not as its format has it.
    """
    if format == "csv":
        from memory_layer.edge.foreign.csv_table import read_csv

        return read_csv(text)
    if format == "markdown":
        from memory_layer.edge.foreign.markdown import read_markdown

        return read_markdown(text, name)
    from memory_layer.edge.foreign.ralph import read_ralph

    return read_ralph(text)
