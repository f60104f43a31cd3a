package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.crash.server.FaultProxy.CutPoint;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that a pool of Rota's own recovers from a dying server. */
@Tag("exhaustive")
class PoolRecoveryTest {

  /** The pool would ask its first connection for its isolation level, and keep what it was told. */
  @Test
  void aFirstConnectionThatBreaksDoesNotSpoilThePool() throws Exception {
    try (TestDatabase database = MigratedDatabase.create();
        FaultProxy proxy =
            FaultProxy.to(((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0]);
        Rota first = Rota.connect(database.jdbcUrl())) {
      proxy.cutNext(CutPoint.READY, "TRANSACTION ISOLATION LEVEL");
      try (Rota rota = Rota.connect(proxy.through(database.jdbcUrl()))) {
        try {
          rota.tenants().register("acme");
        } catch (DatabaseException e) {
          assertThat(e.unavailable()).isTrue();
        }
        assertThat(rota.tenants().register("other").number()).isPositive();
      }
    }
  }
}
