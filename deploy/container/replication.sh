# Run by the image of PostgreSQL when it makes the database: `krapao backup` copies through the replication protocol.
echo 'host replication krapao all scram-sha-256' >> "$PGDATA/pg_hba.conf"
