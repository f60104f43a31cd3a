package dev.rota.erasure.internal;

import dev.rota.DatabaseException;
import dev.rota.UnknownTenantException;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.ErasureRefusedException;
import dev.rota.erasure.internal.ErasureJournal.Begun;
import dev.rota.erasure.internal.ErasureJournal.Relation;
import dev.rota.erasure.internal.ErasureJournal.Standing;
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
  private final ErasureJournal book;

  Erasure(ErasureConfig settings) {
    this.settings = settings;
    Kernel kernel = DefaultRota.kernelOf(settings.rota());
    this.registry = kernel.registry();
    this.lockNamespace = kernel.settings().lockNamespace();
    this.database = kernel.database().withLockTimeout(LOCK_TIMEOUT).forReading(STATEMENT_TIMEOUT);
    this.book = new ErasureJournal(kernel.tables());
  }

  ErasureReceipt run(String tenant) {
    String purpose = "erase tenant '" + SafeText.whole(tenant) + "'";
    Optional<ErasureTarget> living = patiently(purpose, session -> book.tenant(session, tenant));
    if (living.isPresent()) {
      decide(living.get());
    }
    Begun begun =
        patiently(purpose, session -> book.find(session, tenant))
            .orElseThrow(
                () ->
                    new UnknownTenantException(
                        "no tenant is named '"
                            + SafeText.whole(tenant)
                            + "', and none that was is erased"));
    return begun.receipt() == null ? goOn(begun.victim()) : ErasureReceipt.parse(begun.receipt());
  }

  /** Decides, the last moment at which the erasure can be refused. */
  private void decide(ErasureTarget victim) {
    ErasedObjects objects = new ErasedObjects(settings.archive(), this, victim, book);
    objects.requireOwner();
    if (settings.closing()) {
      settings.rota().tenants().close(victim.name());
    }
    inTransaction(
        victim,
        session -> {
          Optional<Standing> standing = book.lock(session, victim);
          if (standing.isPresent()) {
            requireReady(victim, standing.get());
            book.decide(session, victim);
          }
        });
    registry.refresh();
  }

  private void requireReady(ErasureTarget victim, Standing standing) {
    if (standing.held()) {
      throw refused(victim, "is under legal hold; lift it when it may go");
    }
    if (!standing.closed()) {
      throw refused(victim, "is open; close it first, or let the erasure close it");
    }
    if (standing.attached()) {
      throw refused(
          victim,
          "has its archive attached for readers with SQL, by copies in a folder that is unknown to"
              + " Rota; detach it first");
    }
    if (standing.objects() > 0 && settings.archive() == null) {
      throw refused(
          victim, "has " + standing.objects() + " files in the archive; say where that is");
    }
  }

  private static ErasureRefusedException refused(ErasureTarget victim, String reason) {
    return new ErasureRefusedException(victim.label() + " " + reason + ". Nothing was erased");
  }

  private ErasureReceipt goOn(ErasureTarget victim) {
    dropAll(victim, "task_init_");
    List<Integer> segments = patiently(purpose(victim), session -> book.ledgerSegments(session));
    for (int segment : segments) {
      unlessGone(victim, session -> book.deleteBatches(session, victim, segment));
    }
    dropAll(victim, "");
    inTransaction(
        victim,
        session -> {
          session.run(RoleSql.actAsKeeper(registry.tables()));
          book.dropSchema(session, victim);
        });
    new ErasedObjects(settings.archive(), this, victim, book).delete();
    return inTransactionGiving(victim, session -> book.finish(session, victim));
  }

  /**
   * Drops relations, one in each transaction, until there is none: another session may create one
   * meanwhile.
   */
  private void dropAll(ErasureTarget victim, String beginning) {
    List<Relation> left = relations(victim, beginning);
    while (!left.isEmpty()) {
      for (Relation relation : left) {
        unlessGone(
            victim,
            session -> {
              session.run(RoleSql.actAsKeeper(registry.tables()));
              book.drop(session, victim, relation);
            });
      }
      left = relations(victim, beginning);
    }
  }

  private List<Relation> relations(ErasureTarget victim, String beginning) {
    return patiently(purpose(victim), session -> book.relations(session, victim)).stream()
        .filter(relation -> String.valueOf(relation.name().last()).startsWith(beginning))
        .toList();
  }

  int archiversNamespace() {
    return lockNamespace;
  }

  /** Runs an action, unless another eraser, or the daemon, was faster. */
  private void unlessGone(ErasureTarget victim, TransactionBody.Action action) {
    inTransaction(
        victim,
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

  void inTransaction(ErasureTarget victim, TransactionBody.Action action) {
    boolean unused =
        inTransactionGiving(
            victim,
            session -> {
              action.run(session);
              return true;
            });
  }

  <T> T inTransactionGiving(ErasureTarget victim, TransactionBody<T> body) {
    return patiently(purpose(victim), body);
  }

  private static String purpose(ErasureTarget victim) {
    return "erase " + victim.label();
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
