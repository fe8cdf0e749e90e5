"""Statements that are made once: what SQLAlchemy says of one is kept, and the driver itself is asked.

For a statement that finds a row by its key, SQLAlchemy's own bookkeeping takes many times what the database does.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Dialect, Executable, Float, Row
from sqlalchemy.engine.result import SimpleResultMetaData

MOST = 1_000  # more than there are: who makes a statement anew for each call finds none again, and fills no memory
MOST_LENGTHS = 64  # of the lists that one statement is asked with
MOST_MADE = 256  # rows of one statement, of which is remembered what was made of them

_known: "dict[tuple[object, ...], Prepared]" = {}


class _Form(NamedTuple):
    """A statement for lists of certain lengths."""

    sql: str
    names: Sequence[str]  # of the values, in their places
    binds: dict[str, Callable[[Any], Any]]  # what is made of some of them
    items: dict[str, Sequence[str]]  # the names that the values of a list have


class Prepared:
    """The SQL of a statement in one dialect, and how values go in and rows come out."""

    def __init__(self, statement: Executable, dialect: Dialect, names: frozenset[str]) -> None:
        """Compile it; `names` are the values that each call gives."""
        compiled: Any = statement.compile(dialect=dialect, column_keys=sorted(names))  # type: ignore[attr-defined]  # each kind of statement has it
        if compiled.insert_prefetch or compiled.update_prefetch:
            raise TypeError("A prepared statement gives every value itself: no column of it may have a Python default.")
        if compiled.literal_execute_params:
            raise TypeError("A prepared statement has no value that is written into its text.")
        self._compiled = compiled
        self._constants = {n: bind.value for bind, n in compiled.bind_names.items() if not bind.required}
        self._lists = sorted(compiled.bind_names[bind] for bind in compiled.post_compile_params)
        binds = compiled._bind_processors  # noqa: SLF001 - asked for once, not each time
        self._plain = _Form(compiled.string, compiled.positiontup, binds, {})
        self._forms: dict[tuple[int, ...], _Form] = {}
        columns = compiled._result_columns  # noqa: SLF001 - see above
        self._metadata = SimpleResultMetaData([column.keyname for column in columns])
        # Both drivers bring numbers as numbers.
        makers = [
            None if isinstance(column.type, Float) else column.type._cached_result_processor(dialect, None)  # noqa: SLF001 - see above
            for column in columns
        ]
        self._makers = [(place, make) for place, make in enumerate(makers) if make is not None]
        self._made: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def ask(self, values: dict[str, Any]) -> tuple[str, list[Any]]:
        """The SQL and its positional values. Raises KeyError for a value that is missing."""
        given = self._constants | values
        form = self._expanded(given) if self._lists else self._plain
        binds = form.binds
        if not binds:
            return form.sql, [given[name] for name in form.names]
        return form.sql, [binds[name](given[name]) if name in binds else given[name] for name in form.names]

    def _expanded(self, given: dict[str, Any]) -> _Form:
        """The form for lists of these lengths; their values are added to what is given, each by its own name."""
        lengths = tuple([len(given[name]) for name in self._lists])
        form = self._forms.get(lengths)
        if form is None:
            made = self._compiled.construct_expanded_state(given)
            form = _Form(
                made.statement, made.positiontup, self._plain.binds | made.processors, made.parameter_expansion
            )
            if len(self._forms) < MOST_LENGTHS:
                self._forms[lengths] = form
        for name, items in form.items.items():
            given.update(zip(items, given[name], strict=True))
        return form

    def rows(self, found: Sequence[Any]) -> list[Row[Any]]:
        """The driver's rows as SQLAlchemy would give them."""
        metadata = self._metadata
        index = metadata._key_to_index  # noqa: SLF001 - as SQLAlchemy's own results make their rows
        if not self._makers:
            return [Row(metadata, None, index, tuple(row)) for row in found]
        made: list[Row[Any]] = []
        for row in found:
            values = list(row)
            for place, make in self._makers:
                values[place] = make(values[place])
            made.append(Row(metadata, None, index, tuple(values)))
        return made

    def made(self, given: Sequence[Any], row: Any, make: Callable[[Row[Any]], Any]) -> Any:
        """What `make`, always the same for a statement, makes of the driver's row, for what was given to find it.

        While the row is as it was, so is what comes back: it must be something that nobody changes.
        """
        asked = tuple(given)
        known = self._made.get(asked)
        if known is not None and known[0] == row:
            return known[1]
        if len(self._made) >= MOST_MADE:
            self._made.clear()
        made = make(self.rows([row])[0])
        self._made[asked] = row, made
        return made


def prepared(statement: Executable, dialect: Dialect, values: dict[str, Any]) -> Prepared:
    """A statement as it was prepared for values of these names, now or before."""
    key = statement, dialect.name, *values
    form = _known.get(key)
    if form is None:
        if len(_known) >= MOST:
            _known.clear()
        form = _known[key] = Prepared(statement, dialect, frozenset(values))
    return form
