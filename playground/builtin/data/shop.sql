-- The sample database of query_sqlite: a small shop.
CREATE TABLE customer (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT NOT NULL,
    newsletter INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    price_cents INTEGER NOT NULL,
    weight_kg REAL
);
CREATE TABLE purchase (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    product_id INTEGER NOT NULL REFERENCES product (id),
    quantity INTEGER NOT NULL,
    bought_on TEXT NOT NULL
);
INSERT INTO customer (id, name, city, newsletter) VALUES
    (1, 'Amina Okafor', 'Lagos', 1),
    (2, 'Bruno Keller', 'Zürich', 0),
    (3, 'Chiyo Tanaka', 'Osaka', 1),
    (4, 'Dolores Vega', 'Sevilla', 0);
INSERT INTO product (id, name, price_cents, weight_kg) VALUES
    (1, 'Notebook, ruled', 450, 0.21),
    (2, 'Fountain pen', 3900, 0.03),
    (3, 'Bottle of ink', 890, 0.12),
    (4, 'Desk lamp', 5400, 1.6),
    (5, 'Gift card', 2500, NULL);
INSERT INTO purchase (id, customer_id, product_id, quantity, bought_on) VALUES
    (1, 1, 2, 1, '2026-01-12'),
    (2, 1, 3, 3, '2026-01-12'),
    (3, 2, 4, 1, '2026-02-03'),
    (4, 3, 1, 10, '2026-02-17'),
    (5, 3, 5, 1, '2026-03-08'),
    (6, 2, 1, 2, '2026-03-21');
