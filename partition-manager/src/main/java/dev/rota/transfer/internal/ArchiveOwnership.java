package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.StoreOwner;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.text.SafeText;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;

/** Checks the owner of an archive, and makes this database the owner. Used by one thread. */
final class ArchiveOwnership {

  private final Database database;
  private final RegistryTables tables;
  private final TenantLookup lookup;
  private final ArchivedTenants archived;
  private final StoreOwner store;

  ArchiveOwnership(
      Database database,
      RegistryTables tables,
      TenantLookup lookup,
      ArchivedTenants archived,
      DefaultArchive archive) {
    this.database = database;
    this.tables = tables;
    this.lookup = lookup;
    this.archived = archived;
    this.store = new StoreOwner(archive, Restorer.PREFIX);
  }

  /**
   * A change of an archive's owner to this database.
   *
   * @param owner the number of this database
   * @param numbers the numbers of all tenants that have files
   * @param own the names of tenants that may have their numbers here
   */
  record TakeOver(String owner, NavigableSet<Integer> numbers, Map<Integer, String> own) {}

  /**
   * Reads the names of tenants that may have their numbers here, for which files may have to be
   * read.
   */
  interface OwnNames {
    Map<Integer, String> read() throws IOException;
  }

  /**
   * Plans a change; empty if the archive is this database's already. Only reads.
   *
   * @param allowed whether it may be taken from another database
   */
  Optional<TakeOver> plan(OwnNames own, boolean allowed) throws IOException, SQLException {
    String owner =
        database.tryTransaction("read archive owner", session -> StoreOwner.self(session, tables));
    Optional<String> found = store.find();
    if (found.equals(Optional.of(owner))) {
      return Optional.empty();
    }
    if (found.isPresent() && !allowed) {
      throw new TransferException(
          "the archive's %s belongs to another database of Rota, %s, and this one is %s; if that one is gone for ever, take its archive over"
              .formatted(archived.store(), found.get(), owner));
    }
    TakeOver takeOver = new TakeOver(owner, archived.numbers(), own.read());
    requireUnusedNumbers(takeOver, lookup.holders(takeOver.numbers()));
    return Optional.of(takeOver);
  }

  /** Does all of it in a separate transaction. */
  void take(TakeOver takeOver) throws IOException, SQLException {
    boolean unused =
        database
            .withLockTimeout(RestoredTenant.LOCK_PATIENCE)
            .tryTransaction(
                "take an archive over",
                session -> {
                  session.run(RoleSql.actAsKeeper(tables));
                  new TenantNumbers(tables).hold(session);
                  begin(session, takeOver);
                  return true;
                });
    finish(takeOver);
  }

  /** Reserves the numbers, in a transaction that locks the registry. */
  void begin(Session session, TakeOver takeOver) throws SQLException {
    requireUnusedNumbers(takeOver, lookup.holders(session, takeOver.numbers()));
    new TenantNumbers(tables).skipTo(session, takeOver.numbers().last());
  }

  /** Marks the archive, after the numbers are reserved: no file can be overwritten then. */
  void finish(TakeOver takeOver) throws IOException {
    store.take(takeOver.owner());
    store.require(takeOver.owner());
  }

  /**
   * Refuses numbers in use: the daemon would overwrite the files of tenants that had the same
   * numbers.
   */
  private void requireUnusedNumbers(TakeOver takeOver, List<TenantLookup.Holder> holders) {
    for (TenantLookup.Holder holder : holders) {
      if (!holder.name().equals(takeOver.own().get(holder.number()))) {
        throw new TransferException(
            "the archive's %s has files under number %d, which is that of tenant '%s' here: this database would write over them. Restore into a new database"
                .formatted(archived.store(), holder.number(), SafeText.whole(holder.name())));
      }
    }
  }
}
