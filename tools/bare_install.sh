#!/bin/sh
# An environment with what `pip install .` gives and no extra: tools/bare_install.sh FOLDER [PYTHON]. The wheel is built as
# MATURIN_PEP517_ARGS says, by default for release: `.ci/run` makes it of the crates that its tests have built.
set -eu
folder=$1
python=${2:-.venv/bin/python}
rm -rf "$folder"
# shellcheck disable=SC2086  # a list of options
"$python" -m maturin build ${MATURIN_PEP517_ARGS:---release} --locked --quiet --out "$folder/wheels"
"$python" -m venv "$folder"
"$folder/bin/python" -m pip --disable-pip-version-check install --quiet "$folder"/wheels/*.whl
