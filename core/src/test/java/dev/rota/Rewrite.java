package dev.rota;

import java.sql.SQLException;

/** The ways in which an administrator may rewrite a segment of history, which move its rows. */
enum Rewrite {
  VACUUM_FULL("vacuum full %s"),
  CLUSTER("create index clustering on %s (id desc); cluster %s using clustering"),
  UNLOGGED_AND_LOGGED("alter table %s set unlogged; alter table %s set logged"),
  COLUMN_ADDED(
      "alter table %s add column noise double precision default random();"
          + " alter table %s drop column noise");

  private static final String SEGMENT = "rota_1.task_hist_1_1";

  private final String statements;

  Rewrite(String statements) {
    this.statements = statements;
  }

  /** Rewrites the first segment of the first tenant. */
  void perform(RotaFixture fixture) throws SQLException {
    for (String statement : statements.split(";", -1)) {
      fixture.execute(statement.replace("%s", SEGMENT));
    }
    fixture.execute("drop index if exists rota_1.clustering");
  }
}
