CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, total REAL);
INSERT INTO orders VALUES (1, 'Ada', 12.5), (2, 'Bob', 3.0), (3, 'Ada', NULL);
