package dev.rota.internal.worker;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.PoolerProbe;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;

/**
 * Receives the doorbells of other processes for all workers of this one, on one connection. Without
 * it polling finds the work, so its failures never stop a worker. Thread-safe.
 */
public final class NotifyListener {

  private static final Logger log = Logs.of(NotifyListener.class);

  /**
   * The length of one wait. The driver cannot be interrupted in it, so the last worker that closes
   * waits as long.
   */
  private static final int WAIT_MILLIS = 100;

  private static final long RETRY_MILLIS = 2_000;

  /**
   * The pause between two checks for a pooler, which may be configured to keep sessions while the
   * worker runs.
   */
  private static final long POOLER_MILLIS = 60_000;

  private final Database database;
  private final RegistryTables tables;
  private final Doorbell doorbell;
  private final PoolerProbe probe;
  private final List<Doorbell.Listener> listeners = new CopyOnWriteArrayList<>();
  private final Doorbell.Listener all = new AllListeners();
  private @Nullable Thread thread;
  private boolean warned;

  public NotifyListener(Database database, RegistryTables tables, Doorbell doorbell) {
    this.database = database;
    this.tables = tables;
    this.doorbell = doorbell;
    this.probe = new PoolerProbe(database);
  }

  /** Adds a worker, to which it passes doorbells; the first one makes it listen. */
  public synchronized void add(Doorbell.Listener listener) {
    listeners.add(listener);
    if (thread == null) {
      thread = new Thread(this::run, "rota-doorbell");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Removes a worker; after the last one it does not listen. */
  public synchronized void remove(Doorbell.Listener listener) {
    Thread listening = thread;
    if (listeners.remove(listener) && listeners.isEmpty() && listening != null) {
      thread = null;
      listening.interrupt();
      DaemonThreads.join(listening);
    }
  }

  private final class AllListeners implements Doorbell.Listener {

    @Override
    public void changed(int tenant) {
      listeners.forEach(listener -> listener.changed(tenant));
    }

    @Override
    public void changedAll() {
      listeners.forEach(Doorbell.Listener::changedAll);
    }

    @Override
    public void changedRules() {
      listeners.forEach(Doorbell.Listener::changedRules);
    }
  }

  private void run() {
    try {
      listenUntilInterrupted();
    } catch (InterruptedException e) {
      // An interrupt is how this thread is told to end.
      Thread.currentThread().interrupt();
    }
  }

  private void listenUntilInterrupted() throws InterruptedException {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        if (!listened()) {
          warnOnce();
          Thread.sleep(POOLER_MILLIS);
        }
      } catch (SQLException | RuntimeException | Error e) {
        log.debug("not listening for doorbells at present", e);
        Thread.sleep(RETRY_MILLIS);
      }
    }
  }

  /**
   * Whether a session was available to listen in: behind a pooler other clients would get the
   * doorbells.
   */
  private boolean listened() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      if (probe.exchangesSessions(connection)) {
        return false;
      }
      listen(connection);
      return true;
    }
  }

  private void warnOnce() {
    if (!warned) {
      warned = true;
      log.warn(
          "a pooler in transaction mode is in between, and LISTEN belongs to a session: the"
              + " worker finds tasks of other processes by polling alone. Set doorbell(false), or"
              + " connect it to the server itself");
    }
  }

  private void listen(Connection connection) throws SQLException {
    connection.setAutoCommit(true);
    Session session = database.inCallersTransaction(connection);
    try {
      session.run(BoundStatement.update("listen", "listen " + DSL.name(tables.channel())));
      doorbell.others().begin();
      session.run(doorbell.notification(doorbell.others().announceNow()));
      hear(session);
    } finally {
      doorbell.others().end();
      unlisten(session);
    }
  }

  /** Other users of the pool must not get a connection that listens: they would hear doorbells. */
  private static void unlisten(Session session) throws SQLException {
    try {
      session.run(BoundStatement.update("unlisten", "unlisten *"));
    } catch (SQLException | RuntimeException | Error e) {
      log.debug("the connection that listened is cut", e);
      session.connection().abort(Runnable::run);
    }
  }

  private void hear(Session session) throws SQLException {
    PGConnection driver = session.connection().unwrap(PGConnection.class);
    while (!Thread.currentThread().isInterrupted()) {
      for (PGNotification notification : driver.getNotifications(WAIT_MILLIS)) {
        say(session, doorbell.decode(notification.getParameter(), all));
      }
      say(session, doorbell.others().announcement());
    }
  }

  private void say(Session session, Optional<String> message) throws SQLException {
    if (message.isPresent()) {
      session.run(doorbell.notification(message.get()));
    }
  }
}
