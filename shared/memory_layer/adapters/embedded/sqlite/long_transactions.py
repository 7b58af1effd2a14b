"""Database whose threads can unite any number of their writes in one transaction."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.errors import StoreUnavailable


class TransactionalDatabase(Database):
    """Database in which a long transaction sees its own writes, and nobody else does before its end."""

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Unites all that this thread writes inside."""
        with super().writing() as connection:
            self._local.transaction = connection
            try:
                yield
            finally:
                self._local.transaction = None

    def committed(self) -> sqlite3.Connection:
        """This thread's connection for reading what is committed, whatever the thread itself has begun."""
        return super().reader()

    def is_in_transaction(self) -> bool:
        """Tells if this thread has begun a long transaction: its writes are not committed yet."""
        return self._long is not None

    def reader(self) -> sqlite3.Connection:
        return self._long or super().reader()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        if self._long is not None:  # which is one state by itself
            yield self._long
            return
        with super().reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        if self._long is not None:
            yield from self._part_of(self._long)
            return
        with super().writing() as connection:
            yield connection

    def _part_of(self, transaction: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        """Part of a long transaction that can fail by itself."""
        if not transaction.in_transaction:  # SQLite ends it by itself when the disk is full
            raise StoreUnavailable(
                "nothing was written: the transaction ended by an error before; run: mem doctor"
            )
        transaction.execute("SAVEPOINT part")
        try:
            yield transaction
        except BaseException:
            if transaction.in_transaction:
                transaction.execute("ROLLBACK TO part")
            raise
        finally:
            if transaction.in_transaction:  # an open savepoint would keep a copy of every page that changes
                transaction.execute("RELEASE part")

    @property
    def _long(self) -> sqlite3.Connection | None:
        connection: sqlite3.Connection | None = getattr(self._local, "transaction", None)
        return connection


@dataclass(frozen=True, slots=True)
class StoreTransactions:
    """The port ports.process.LongTransactions. Args: around: held while a transaction lasts, taken before its lock."""

    database: TransactionalDatabase
    around: Callable[[], AbstractContextManager[None]]

    @contextmanager
    def begin(self) -> Iterator[None]:
        with self.around(), self.database.begin():
            yield
