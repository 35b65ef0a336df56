# SPDX-License-Identifier: Apache-2.0
"""Applies a model file to a table of features, as a program of its own: `predict.py input output`.

`input` holds `model.json` and `features.npy`, float32 of shape (n_records, n_features); `output` gets
`predictions.npy`, or `refused.json` with what XGBoost says of the model.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def main(inputs: Path, outputs: Path) -> None:
    """Read the model and the features, and write the predictions."""
    sys.modules.update({"sklearn": None, "pandas": None})  # type: ignore[dict-item]  # unused, slow to import
    import numpy as np
    import xgboost

    features = np.load(inputs / "features.npy", allow_pickle=False)
    try:
        model = xgboost.Booster({"nthread": 1}, model_file=str(inputs / "model.json"))
        n_trees = model.num_boosted_rounds()
        found = model.inplace_predict(features, validate_features=False)
    except (xgboost.core.XGBoostError, ValueError, MemoryError) as error:
        words = re.sub(r"^\[[0-9:]*\] \S*: ", "", str(error).strip()).partition("\n")[0]
        (outputs / "refused.json").write_text(
            json.dumps(words[:200] or "out of memory"), encoding="utf-8"
        )
        return
    assert n_trees > 0
    np.save(outputs / "predictions.npy", np.asarray(found, dtype=np.float64))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
