"""Reads a file of croupier archive dataset with pyarrow and pandas, and prints what it finds as JSON.

Usage: dataset_read.py FILE
Output: {"metadata": {KEY: TEXT}, "types": {COLUMN: TYPE}, "columns": {COLUMN: [VALUES, those of lists joined]},
         "observation": [rows, numbers of a row], "sum": what the matrix of observations adds up to}
"""

import json
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq


def values(column):
    """The values of a column, those of lists one after the other, times in milliseconds."""
    array = column.combine_chunks()
    if pa.types.is_list(array.type):
        array = array.flatten()
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.int64())
    return array.to_pylist()


def main(path):
    table = pq.read_table(path)
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    frame = pd.read_parquet(path, page_checksum_verification=True)
    segments = json.loads(metadata["croupier.observation"])
    matrix = np.column_stack([np.stack(frame[s["column"]]) for s in segments])
    json.dump(
        {
            "metadata": metadata,
            "types": {field.name: str(field.type) for field in table.schema},
            "columns": {name: values(table[name]) for name in table.column_names},
            "observation": matrix.shape,
            "sum": float(matrix.astype(np.float64).sum()),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(sys.argv[1])
