#!/bin/sh
# Creates the role and the database of the site, the first time that PostgreSQL starts. The role is no superuser: it
# cannot read files of the server or start programs there.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$TOOLSHELF_PASSWORD" --username postgres --dbname postgres <<'SQL'
CREATE ROLE toolshelf LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE toolshelf OWNER toolshelf;
SQL
