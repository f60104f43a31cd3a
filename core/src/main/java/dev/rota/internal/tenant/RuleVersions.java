package dev.rota.internal.tenant;

import dev.rota.internal.db.Session;
import java.sql.SQLException;

/** Learns the versions of the rules that a process finds. Thread-safe. */
public interface RuleVersions {

  /** For a process without rules. */
  RuleVersions NONE =
      new RuleVersions() {
        @Override
        public void ensureRecent(Session session) {}

        @Override
        public Look begin() {
          return (session, version) -> {};
        }
      };

  /** Asks for the version in this transaction, if no look did a moment ago. */
  void ensureRecent(Session session) throws SQLException;

  /** Begins a look, before the statement that reads the version. */
  Look begin();

  /** A look for the version. */
  @FunctionalInterface
  interface Look {

    /** Called in the transaction that read the version. */
    void found(Session session, long version) throws SQLException;
  }
}
