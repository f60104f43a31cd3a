package dev.rota.transfer.internal;

import dev.rota.TenantExistsException;
import dev.rota.archive.internal.SegmentKey;
import dev.rota.archive.internal.StoreOwner;
import dev.rota.internal.Engine;
import dev.rota.internal.RegistryEditor;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.RoleSql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.RowReader;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import dev.rota.internal.db.TenantDdl;
import dev.rota.internal.db.TenantTables;
import dev.rota.partition.internal.SegmentDrop;
import dev.rota.partition.internal.SegmentRegister;
import dev.rota.transfer.TransferException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/** What restoring reads and changes in the registry; each method one transaction or a few. */
final class RestoreRegister {

  private final Engine engine;
  private final RotaTables rota;
  private final TenantDdl ddl;

  RestoreRegister(Engine engine) {
    this.engine = engine;
    this.rota = engine.tables();
    this.ddl = new TenantDdl(rota);
  }

  /** A tenant of this database. */
  record Found(int number, int currentSegment, boolean importing) {}

  /** What the manifest says of a segment; without size and digest while it is being written. */
  record Noted(String key, long bytes, @Nullable String sha256, boolean kept) {}

  /** A segment of the database; times in microseconds since 1970, 0 if it is not sealed. */
  record Segment(long openedAt, long sealedAt) {}

  String owner() throws SQLException {
    return engine
        .database()
        .tryTransaction("read archive owner", session -> StoreOwner.self(session, rota));
  }

  Optional<Found> find(String name) throws SQLException {
    return engine.database().tryTransaction(RestoreSql.FIND.call(), session -> find(session, name));
  }

  private Optional<Found> find(Session session, String name) throws SQLException {
    return session
        .run(
            Call.query(
                RestoreSql.FIND.call(),
                RestoreSql.FIND.on("tenants", rota.tenants()),
                row -> new Found(row.getInt(1), row.getInt(2), row.getBoolean(3)),
                name))
        .stream()
        .findFirst();
  }

  /** Who has one of these numbers here. */
  Optional<Map.Entry<Integer, String>> holder(Collection<Integer> numbers) throws SQLException {
    return query(
            RestoreSql.WITH_NUMBERS,
            Map.of("tenants", rota.tenants()),
            row -> Map.entry(row.getInt(1), row.getString(2)),
            (Object) numbers.toArray(Integer[]::new))
        .stream()
        .findFirst();
  }

  /** The name of a tenant that had the number and was erased. */
  Optional<String> erased(int number) throws SQLException {
    return query(
            RestoreSql.ERASED, Map.of("erasures", rota.erasures()), row -> row.getString(1), number)
        .stream()
        .findFirst();
  }

  /** Another tenant that has files under these keys. */
  Optional<String> otherHolder(String prefix, String name) throws SQLException {
    return query(
            RestoreSql.HOLDER,
            Map.of("archive", rota.archive(), "tenants", rota.tenants()),
            row -> row.getString(1),
            prefix,
            name)
        .stream()
        .findFirst();
  }

  /** From now on tenants get greater numbers. */
  void skipNumbers(int last) throws SQLException {
    boolean unused =
        engine
            .database()
            .tryTransaction(
                RestoreSql.SKIP_NUMBERS.call(),
                session -> {
                  session.run(RoleSql.actAsKeeper(rota));
                  skipNumbers(session, last);
                  return true;
                });
  }

  private void skipNumbers(Session session, int last) throws SQLException {
    session.run(
        Call.query(
            RestoreSql.SKIP_NUMBERS.call(),
            RestoreSql.SKIP_NUMBERS.text(),
            row -> row.getLong(1),
            DiscoverySql.text(rota.tenants()),
            last));
  }

  /** Registers a tenant under a number, unless somebody was quicker, and tells its number. */
  int register(String name, int number, int segment) throws SQLException {
    try {
      return engine
          .database()
          .tryTransaction(
              RestoreSql.REGISTER.call(), session -> register(session, name, number, segment));
    } catch (TenantExistsException e) {
      return find(name).orElseThrow(() -> e).number();
    }
  }

  private int register(Session session, String name, int number, int segment) throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    new RegistryEditor(engine).requireFree(session, name);
    skipNumbers(session, number);
    if (update(session, RestoreSql.REGISTER, rota.tenants(), number, name, segment) == 1) {
      session.execute("create tenant", ddl.createTenant(rota.tenant(number), segment));
      update(session, TransferSql.FIRST_SEGMENT, rota.segments(), number, segment);
    }
    return find(session, name)
        .orElseThrow(
            () -> new TransferException("number " + number + " was just given to another tenant"))
        .number();
  }

  /** Lets claims write into a segment behind the last one of the archive. */
  void openBehind(int number, int last) throws SQLException {
    boolean unused =
        engine
            .database()
            .tryTransaction("open a segment", session -> openBehind(session, number, last));
    engine.registry().refresh();
    for (int seq : emptyUpTo(number, last)) {
      drop(number, seq);
    }
  }

  private boolean openBehind(Session session, int number, int last) throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    SegmentRegister register = new SegmentRegister(rota);
    int current = register.lockCurrent(session, number);
    if (current > last) {
      return false;
    }
    TenantTables tenant = rota.tenant(number);
    session.execute("create segment", List.of(ddl.createSegment(tenant, last + 1)));
    register.succeed(session, number, current, last + 1);
    List<Integer> kept = register.kept(session, number);
    session.execute("renew history view", List.of(ddl.historyView(tenant, kept)));
    return true;
  }

  private List<Integer> emptyUpTo(int number, int last) throws SQLException {
    return engine
        .database()
        .tryTransaction(
            "list segments",
            session ->
                new SegmentRegister(rota)
                    .kept(session, number).stream().filter(seq -> seq <= last).toList());
  }

  /** A segment that was never written into keeps its number from nobody. */
  private void drop(int number, int seq) throws SQLException {
    TenantTables tenant = rota.tenant(number);
    boolean unused =
        engine
            .database()
            .tryTransaction(
                "drop an empty segment",
                session -> {
                  session.run(RoleSql.actAsKeeper(rota));
                  return new SegmentDrop(rota)
                      .run(session, tenant, seq, last -> isEmpty(last, tenant.segment(seq)));
                });
  }

  private static OptionalLong isEmpty(Session session, Name segment) throws SQLException {
    boolean any =
        !session
            .run(
                Call.query(
                    RestoreSql.ANY_ROW.call(),
                    RestoreSql.ANY_ROW.on("segment", segment),
                    row -> true))
            .isEmpty();
    return any ? OptionalLong.empty() : OptionalLong.of(0);
  }

  Optional<Noted> noted(int number, int seq) throws SQLException {
    return query(
            RestoreSql.NOTED,
            Map.of("archive", rota.archive()),
            row -> new Noted(row.getString(1), row.getLong(2), row.getString(3), row.getBoolean(4)),
            number,
            seq)
        .stream()
        .findFirst();
  }

  /** A segment, if it stands in the database. */
  Optional<Segment> segment(int number, int seq) throws SQLException {
    return query(
            RestoreSql.SEGMENT,
            Map.of("segments", rota.segments()),
            row -> new Segment(row.getLong(1), row.getLong(2)),
            number,
            seq)
        .stream()
        .findFirst();
  }

  /** Notes a file; false if somebody was quicker. */
  boolean note(int number, SegmentKey key, RestoredFile file) throws SQLException {
    return engine
        .database()
        .tryTransaction(RestoreSql.NOTE.call(), session -> note(session, number, key, file));
  }

  private boolean note(Session session, int number, SegmentKey key, RestoredFile file)
      throws SQLException {
    if (update(session, RestoreSql.HOLD, rota.tenants(), file.lastId(), number) == 0) {
      throw new TransferException(
          "tenant " + number + " was erased while it was restored; nothing more is restored");
    }
    var life = file.facts().life();
    int noted =
        session.run(
            Call.update(
                RestoreSql.NOTE.call(),
                RestoreSql.NOTE.on("archive", rota.archive()),
                number,
                key.seq(),
                key.text(),
                file.bytes(),
                file.facts().rows(),
                file.idSum(),
                life.map(known -> known.states()).orElse(null),
                file.sha256(),
                key.hour().toString(),
                life.map(known -> known.openedAt()).orElse(null),
                life.map(known -> known.sealedAt()).orElse(null),
                file.bounds().toArray(Long[]::new)));
    return noted == 1;
  }

  private <T> List<T> query(
      SqlTemplate statement,
      Map<String, Name> places,
      RowReader<T> reader,
      @Nullable Object... binds)
      throws SQLException {
    return engine
        .database()
        .tryTransaction(
            statement.call(),
            session ->
                session.run(Call.query(statement.call(), statement.on(places), reader, binds)));
  }

  /** Of the one table that a statement changes. */
  private static int update(
      Session session, SqlTemplate statement, Name table, @Nullable Object... binds)
      throws SQLException {
    return session.run(
        Call.update(
            statement.call(), statement.on(Map.of("tenants", table, "segments", table)), binds));
  }
}
