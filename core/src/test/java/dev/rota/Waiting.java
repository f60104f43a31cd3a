package dev.rota;

import java.sql.SQLException;

/** Moves waiting tasks into the ring, whenever they are due, as the daemon does in time. */
final class Waiting {

  private Waiting() {}

  static void intoRing(RotaFixture fixture, int tenant) throws SQLException {
    fixture.execute(
        """
        with due as (delete from rota_%1$d.task_wait_%1$d returning *)
        insert into rota_%1$d.task_init_%1$d_0 (id, created_at, parent_id, attempt, kind, payload,
          key, traits)
        select id, created_at, parent_id, attempt, kind, payload, key, traits from due"""
            .formatted(tenant));
  }
}
