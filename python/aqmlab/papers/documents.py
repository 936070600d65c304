"""What the files of an experiment's folder hold: one record for each table of a file.

The fields are the keys, their defaults what is meant where a key is absent. What the values mean together
is checked by the module that reads the file, which also fills what follows from other files. Published
tables are in `papers.published`, the experiment as a whole in `papers.experiment`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from aqmlab.files.records import ABSENT, KEY, NOT_EMPTY, Count, Plain
from aqmlab.files.shape import PLAIN, TEXT, Kind, ListOf, Table, TableOf

Sentence = Annotated[str, Kind("a sentence", lambda value: isinstance(value, str) and bool(value.strip()))]
Overrides = Mapping[str, Any]
"""Dotted keys of a scenario, which checks them itself."""
Loads = tuple[float, ...]
"""Offered loads in per cent of the link's rate."""

# ------------------------------------------------------------------------------------------- experiment.toml


@dataclass(frozen=True, slots=True)
class CalibrationRuns:
    """The uncongested runs that give the line between users and load; none without users."""

    users_per_side: tuple[Count, ...] = ()
    overrides: Overrides = field(default_factory=dict)
    replications: Count = 1


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of the experiment is run, and how long.

    Attributes:
        description: What it is for.
        duration_s: The length of a run, in seconds.
        warm_up_s: What of its beginning is not measured.
        cool_down_s: What of its end is not measured.
        replications: How many runs each cell has.
        load_matched: Whether the users of each seed are matched to its own uncongested network.
        start: How users start.
        loads_percent: The loads; empty: all of the experiment.
        groups: Groups of configurations that are run.
        cells: Configurations that are run; once read, the members of the groups are among them.
        overrides: Settings laid over the study's scenario.
        users_from: Where the users of a load come from, unless they are matched: the `published` line, our
            `calibration`, which takes one, or the `scenario` itself, which is then the only load there is.
        calibration: Uncongested runs that give the line between users and load.
        name: What the experiment calls it.
        chosen_seeds: The seeds that the study or the user chose, as many as `replications`.
        users_per_side_at_100_percent: About how many of its users offer what the link carries, where its
            overrides make them others than the study's; matching begins there.
    """

    description: str
    duration_s: float
    warm_up_s: float
    replications: Count
    load_matched: bool
    start: str
    cool_down_s: float = 0.0
    loads_percent: Loads = ()
    groups: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    overrides: Overrides = field(default_factory=dict)
    users_from: str = ""
    calibration: CalibrationRuns = CalibrationRuns()
    name: str = field(default="", metadata={ABSENT: True})
    chosen_seeds: tuple[int, ...] = ()
    users_per_side_at_100_percent: Count | None = None

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the replications: those that were chosen, or as many as there are, from 1."""
        return self.chosen_seeds or tuple(range(1, self.replications + 1))


@dataclass(frozen=True, slots=True)
class Configuration:
    """A queue and what goes with it.

    Attributes:
        name: What `--cells` calls it.
        label: What figures and tables call it.
        group: Which part of the study it belongs to.
        twin: Whether it is the uncongested network itself.
        extends: The configuration it differs from in what matters, if any; ablations are compared with it.
        published: What the key columns of the published tables say where a row is of this configuration.
        overrides: Settings laid over the study's scenario, in order.
        loads_percent: The loads it is run at; empty: all.
        users: Users on each browsing side by load, instead of those that all configurations share.
    """

    name: str
    label: str
    group: str
    twin: bool = False
    extends: str | None = None
    published: Mapping[str, Plain] | None = None
    overrides: Overrides = field(default_factory=dict)
    loads_percent: Loads = ()
    users: Mapping[str, Count] = field(default_factory=dict)

    def runs_at(self, load_percent: float) -> bool:
        """Whether the configuration is run at a load."""
        return not self.loads_percent or load_percent in self.loads_percent

    def users_at(self, load_percent: float) -> int | None:
        """Its own users on each browsing side at a load, if it has any."""
        return next((users for load, users in self.users.items() if float(load) == load_percent), None)


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings laid over several configurations: one more of each in `of`, its name with the suffix."""

    suffix: str
    label: str
    group: str
    of: Annotated[tuple[str, ...], NOT_EMPTY]
    overrides: Overrides
    loads_percent: Loads = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report.

    Attributes:
        id: Its number in the paper, or a name where the paper has none.
        title: What it shows.
        kind: What is drawn.
        cells: The configurations, and at which loads; `calibration` and `false-positives` have none.
        loads_percent: The loads.
        calibration: Whether the calibration's runs are drawn too (`users`).
        discarded_s: The end of what the paper leaves out, in seconds (a number per second).
        population: Whose response times (`cdf`, `ccdf`); by default of those that the study judges.
        of: The quantity over time.
        every_s: The length of its stretches, in seconds.
        bins: The bins of the filter (`false-positives`).
        trials: Flows hashed by it.
    """

    id: str
    title: str
    kind: Literal[
        "calibration",
        "cdf",
        "ccdf",
        "queue",
        "scatter",
        "users",
        "requests-per-second",
        "bytes-requested-per-second",
        "response-time-per-second",
        "over-time",
        "false-positives",
    ]
    cells: tuple[str, ...] = ()
    loads_percent: Loads = ()
    calibration: bool = False
    discarded_s: float | None = None
    population: str | None = None
    of: str = ""
    every_s: float = 0.0
    bins: Count = 0
    trials: Count = 0


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Which configurations the report compares with which one, by response times."""

    baseline: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhoseResponses:
    """Whose response times a study is about.

    Attributes:
        of: The population that figures, comparisons and claims are of.
        beside: Populations that are shown beside it, and together with it.
    """

    of: str
    beside: tuple[str, ...] = ()


# ------------------------------------------------------------- claims.toml, tolerances.toml, differences.toml

_STATEMENT = Table(
    {"says": TEXT, "check": ListOf(TEXT, shortest=1)},
    {"each": TableOf(ListOf(PLAIN, shortest=1))},
    open=True,  # to what its check is given
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What has to be true for a claim to hold.

    Attributes:
        number: Its place among the claim's statements in the file, from 1 on; those of one `each` share it.
        place: Where the file says it.
        says: In words.
        check: The name of the function that answers it.
        given: What that is given, by name: cells, and the numbers that decide.
    """

    number: int
    place: str
    says: str
    check: str
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper that a reproduction is checked against.

    Attributes:
        identifier: Its number.
        where: The place in the paper.
        claim: The claim in words.
        measured_as: The measure.
        entries: What it comes to, as the file has it.
        statements: The same, written out (`papers.statements`).
    """

    identifier: str = field(metadata={KEY: "id"})
    where: str
    claim: str
    measured_as: str
    entries: Annotated[tuple[Mapping[str, Any], ...], ListOf(_STATEMENT, shortest=1)] = field(
        metadata={KEY: "statements"}
    )
    statements: tuple[Statement, ...] = field(default=(), metadata={ABSENT: True})


@dataclass(frozen=True, slots=True)
class Claims:
    """`claims.toml`; `words` are numbers by what the paper calls them."""

    claims: tuple[Claim, ...]
    words: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The larger of an absolute and a relative difference."""

    absolute: float = 0.0
    relative: float = 0.0

    def around(self, published: float) -> float:
        """The tolerance in the quantity's own unit."""
        return max(self.absolute, self.relative * abs(published))


@dataclass(frozen=True, slots=True)
class Tolerances:
    """`tolerances.toml`."""

    tolerance: Mapping[str, Tolerance]


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of a published table.

    Attributes:
        table: Its number.
        cells: The configurations.
        loads_percent: The loads; empty: all.
        quantities: The quantities, by name; empty: all.
    """

    table: str
    cells: Annotated[tuple[str, ...], NOT_EMPTY]
    loads_percent: Loads = ()
    quantities: tuple[str, ...] = ()

    def include(self, table: str, configuration: str, load_percent: float, quantity: str) -> bool:
        """Whether a number is one of them."""
        return (
            table == self.table
            and configuration in self.cells
            and (not self.loads_percent or load_percent in self.loads_percent)
            and (not self.quantities or quantity in self.quantities)
        )


class Conclusion(StrEnum):
    """What follows for a published number or statement."""

    REPRODUCED = "reproduced"
    CAUSE_KNOWN = "differs, cause known"
    NOT_IDENTIFIABLE = "not identifiable"
    CAUSE_UNKNOWN = "differs, cause unknown"
    SCALE_CANNOT_JUDGE = "scale cannot judge"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Difference:
    """Why something differs: a `cause`, a reason why it is `not_identifiable`, or a mere `conjecture`.

    Attributes:
        proof: The runs that prove a cause or a reason (`aqmlab.papers.proofs`); a conjecture has none.
        claims: Claims, or single statements of claims, that it concerns.
        numbers: Published numbers that it concerns.
    """

    cause: Sentence | None = None
    not_identifiable: Sentence | None = None
    conjecture: Sentence | None = None
    proof: str = ""
    claims: tuple[str, ...] = ()
    numbers: tuple[Numbers, ...] = ()

    @property
    def given(self) -> dict[Conclusion, str]:
        """What follows where ours differs, with the sentence; one, once the file is checked."""
        sentences = {
            Conclusion.CAUSE_KNOWN: self.cause,
            Conclusion.NOT_IDENTIFIABLE: self.not_identifiable,
            Conclusion.CAUSE_UNKNOWN: self.conjecture,
        }
        return {conclusion: says for conclusion, says in sentences.items() if says is not None}

    @property
    def conclusion(self) -> Conclusion:
        """What follows where ours differs."""
        return next(iter(self.given))

    @property
    def says(self) -> str:
        """The sentence."""
        return self.given[self.conclusion]

    def concerns_statement(self, claim: str, number: int) -> bool:
        """Whether it concerns a statement, by its place in the claim from 1 on."""
        return claim in self.claims or f"{claim}.{number}" in self.claims

    def concerns_number(self, table: str, configuration: str, load_percent: float, quantity: str) -> bool:
        """Whether it concerns a number of a published table."""
        return any(each.include(table, configuration, load_percent, quantity) for each in self.numbers)


@dataclass(frozen=True, slots=True)
class Differences:
    """`differences.toml`."""

    differences: tuple[Difference, ...]


# ------------------------------------------------------------------------------------------- proofs/NAME.toml


@dataclass(frozen=True, slots=True)
class Setting:
    """One of the two settings of a proof.

    Attributes:
        name: What its rows in the file of runs are called.
        says: What it is, in words.
        suffix: `CELL-suffix`, where the study has it, stands in the place of each cell.
        overrides: Settings laid over the study's scenario before loads are matched and cells laid over it.
    """

    name: str
    says: Sentence
    suffix: str = ""
    overrides: Overrides = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fact:
    """What the paper prints and both settings have to meet: a quantity between bounds, or a statement.

    Attributes:
        says: What is printed, in words, with its place.
        statement: The statement of a claim that holds, such as "L04.2".
        quantity: The quantity of `cell` at `load_percent`, if it is no statement.
        cell: The configuration.
        load_percent: The load.
        least: The lowest value that is what the paper prints.
        most: The highest.
    """

    says: Sentence
    statement: str = ""
    quantity: str = ""
    cell: str = ""
    load_percent: float = 0.0
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """What a per cent of something that is missing costs: points of `points` for each per cent of `of`.

    Attributes:
        points: The quantity that is the price, in per cent, such as "loss_percent".
        of: The quantity of which some is missing, such as "completed_millions".
        against: The configuration at which none is missing.
        neighbours: The configurations whose price, the paper's and ours, is compared.
    """

    points: str
    of: str
    against: str
    neighbours: Annotated[tuple[str, ...], NOT_EMPTY]


@dataclass(frozen=True, slots=True)
class Proof:
    """`proofs/NAME.toml`; its runs are in `proofs/NAME.csv`.

    Attributes:
        says: What is proven, in words.
        measured: When the runs were made, and with which version.
        scale: The scale whose lengths, start and matching of loads the runs have.
        cells: The configurations that are run.
        loads_percent: The loads.
        seeds: The seeds.
        overrides: Settings that both have: times shorter than the scale's, such as "duration_s".
        load_matched: Whether users are matched to the load, if not as in the scale.
        settings: The study's own, and the one with the switch; or the two that the paper cannot tell apart;
            or, with a price, one or two.
        facts: What both have to meet, of a reason why something is not identifiable.
        price: Instead of facts, what the paper's own rows contradict each other in.
    """

    says: Sentence
    measured: Sentence
    scale: str
    cells: Annotated[tuple[str, ...], NOT_EMPTY]
    loads_percent: Annotated[Loads, NOT_EMPTY]
    seeds: Annotated[tuple[Count, ...], NOT_EMPTY]
    settings: Annotated[tuple[Setting, ...], NOT_EMPTY]
    overrides: Overrides = field(default_factory=dict)
    load_matched: bool | None = None
    facts: tuple[Fact, ...] = ()
    price: Price | None = None
