package dev.rota.erasure.internal;

import dev.rota.DatabaseException;
import dev.rota.UnknownTenantException;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.ErasureRefusedException;
import dev.rota.erasure.internal.ErasureJournal.Begun;
import dev.rota.erasure.internal.ErasureJournal.Readiness;
import dev.rota.erasure.internal.ErasureJournal.Relation;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One erasure. Each removal is recorded in its own transaction, or, for an object, before it. So a
 * repeated call finds the rest, and the receipt is of the whole.
 *
 * <p>The order protects workers. The ring goes first, so that no more tasks are claimed, then the
 * batches, so that none is settled later. The tables into which a settle would write go last. Used
 * by one thread.
 */
final class Erasure {

  /**
   * The lock timeout: while the eraser waits for a lock, all sessions behind it in the lock's queue
   * wait too.
   */
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(200);

  /** The timeout for counting a large table. */
  private static final Duration STATEMENT_TIMEOUT = Duration.ofMinutes(30);

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final ErasureConfig settings;
  private final TenantRegistry registry;
  private final int lockNamespace;
  private final Database database;
  private final ErasureJournal journal;

  Erasure(ErasureConfig settings) {
    this.settings = settings;
    Kernel kernel = DefaultRota.kernelOf(settings.rota());
    this.registry = kernel.registry();
    this.lockNamespace = kernel.settings().lockNamespace();
    this.database = kernel.database().withLockTimeout(LOCK_TIMEOUT).forReading(STATEMENT_TIMEOUT);
    this.journal = new ErasureJournal(kernel.tables());
  }

  ErasureReceipt run(String tenant) {
    String purpose = "erase tenant '" + SafeText.whole(tenant) + "'";
    Optional<ErasureTarget> living = patiently(purpose, session -> journal.tenant(session, tenant));
    if (living.isPresent()) {
      decide(living.get());
    }
    Begun begun =
        patiently(purpose, session -> journal.find(session, tenant))
            .orElseThrow(
                () ->
                    new UnknownTenantException(
                        "no tenant is named '"
                            + SafeText.whole(tenant)
                            + "', and none that was is erased"));
    return begun.receipt() == null ? goOn(begun.target()) : ErasureReceipt.parse(begun.receipt());
  }

  /** Decides, the last moment at which the erasure can be refused. */
  private void decide(ErasureTarget target) {
    ErasedObjects objects = new ErasedObjects(settings.archive(), this, target, journal);
    objects.requireOwner();
    if (settings.closing()) {
      settings.rota().tenants().close(target.name());
    }
    inTransaction(
        target,
        session -> {
          Optional<Readiness> readiness = journal.lock(session, target);
          if (readiness.isPresent()) {
            requireReady(target, readiness.get());
            journal.decide(session, target);
          }
        });
    registry.refresh();
  }

  private void requireReady(ErasureTarget target, Readiness readiness) {
    if (readiness.held()) {
      throw refused(target, "is under legal hold; lift it when it may go");
    }
    if (!readiness.closed()) {
      throw refused(target, "is open; close it first, or let the erasure close it");
    }
    if (readiness.attached()) {
      throw refused(
          target,
          "has its archive attached for readers with SQL, by copies in a folder that is unknown to"
              + " Rota; detach it first");
    }
    if (readiness.objects() > 0 && settings.archive() == null) {
      throw refused(
          target, "has " + readiness.objects() + " files in the archive; say where that is");
    }
  }

  private static ErasureRefusedException refused(ErasureTarget target, String reason) {
    return new ErasureRefusedException(target.label() + " " + reason + ". Nothing was erased");
  }

  private ErasureReceipt goOn(ErasureTarget target) {
    dropAll(target, "task_init_");
    List<Integer> segments = patiently(purpose(target), session -> journal.ledgerSegments(session));
    for (int segment : segments) {
      unlessGone(target, session -> journal.deleteBatches(session, target, segment));
    }
    dropAll(target, "");
    inTransaction(
        target,
        session -> {
          session.run(RoleSql.actAsKeeper(registry.tables()));
          journal.dropSchema(session, target);
        });
    new ErasedObjects(settings.archive(), this, target, journal).delete();
    return inTransactionGiving(target, session -> journal.finish(session, target));
  }

  /**
   * Drops relations, one in each transaction, until there is none: another session may create one
   * meanwhile.
   */
  private void dropAll(ErasureTarget target, String beginning) {
    List<Relation> left = relations(target, beginning);
    while (!left.isEmpty()) {
      for (Relation relation : left) {
        unlessGone(
            target,
            session -> {
              session.run(RoleSql.actAsKeeper(registry.tables()));
              journal.drop(session, target, relation);
            });
      }
      left = relations(target, beginning);
    }
  }

  private List<Relation> relations(ErasureTarget target, String beginning) {
    return patiently(purpose(target), session -> journal.relations(session, target)).stream()
        .filter(relation -> String.valueOf(relation.name().last()).startsWith(beginning))
        .toList();
  }

  int archiversNamespace() {
    return lockNamespace;
  }

  /** Runs an action, unless another eraser, or the daemon, was faster. */
  private void unlessGone(ErasureTarget target, TransactionBody.Action action) {
    inTransaction(
        target,
        session -> {
          var mark = session.mark();
          try {
            action.run(session);
          } catch (SQLException e) {
            if (!SqlErrors.isMissingTable(e)) {
              throw e;
            }
            session.rollBackTo(mark);
          }
        });
  }

  void inTransaction(ErasureTarget target, TransactionBody.Action action) {
    boolean unused =
        inTransactionGiving(
            target,
            session -> {
              action.run(session);
              return true;
            });
  }

  <T> T inTransactionGiving(ErasureTarget target, TransactionBody<T> body) {
    return patiently(purpose(target), body);
  }

  private static String purpose(ErasureTarget target) {
    return "erase " + target.label();
  }

  /** Repeats a transaction for which a lock was not available. */
  private <T> T patiently(String purpose, TransactionBody<T> body) {
    long deadline = System.nanoTime() + settings.patience().toNanos();
    for (; ; ) {
      try {
        return database.tryTransaction(purpose, body);
      } catch (SQLException e) {
        if (SqlErrors.isMissingRegistry(e)) {
          throw SqlErrors.schemaMissing(registry.tables().schema());
        }
        if (!SqlErrors.isLockConflict(e)) {
          throw SqlErrors.translate(purpose, e);
        }
        if (System.nanoTime() > deadline) {
          throw locked(purpose, e);
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE));
      }
    }
  }

  private static DatabaseException locked(String purpose, SQLException e) {
    return new DatabaseException(
        purpose
            + ": another session holds a lock all the time ("
            + SqlErrors.firstLineOf(e)
            + "); end long transactions that use its tables, and erase again: finished steps stay"
            + " done",
        e,
        true,
        false);
  }
}
