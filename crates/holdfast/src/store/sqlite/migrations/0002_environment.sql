-- What the store is for (prod, test …), so that two environments are not mixed in one by accident. One row, or none while nobody has said.
CREATE TABLE label (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    environment TEXT NOT NULL
) STRICT;
