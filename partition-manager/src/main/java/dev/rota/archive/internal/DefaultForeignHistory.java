package dev.rota.archive.internal;

import static org.jooq.impl.DSL.inline;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ForeignHistory;
import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.history.ArchiveException;
import dev.rota.history.ArchivedRows;
import dev.rota.history.ArchivedSegment;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.HistoryColumn;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Default implementation of {@link ForeignHistory}: maintains a foreign table of CSV files for each
 * attached tenant. Thread-safe.
 */
public final class DefaultForeignHistory implements ForeignHistory {

  private static final Sql CREATE_FILE_FDW = Sql.named("create_file_fdw");
  private static final Sql CREATE_FILE_SERVER = Sql.named("create_file_server");
  private static final Sql CREATE_ARCHIVE_TABLE = Sql.named("create_archive_table");
  private static final Sql WIDEN_ARCHIVE_TABLE = Sql.named("widen_archive_table");
  private static final Sql CREATE_ARCHIVE_PART = Sql.named("create_archive_part");
  private static final Sql LIST_ARCHIVE_PARTS = Sql.named("list_archive_parts");
  private static final Sql DROP_ARCHIVE_PART = Sql.named("drop_archive_part");
  private static final Sql DROP_ARCHIVE_TABLE = Sql.named("drop_archive_table");
  private static final Sql LIST_ARCHIVED_SEGMENTS = Sql.named("list_archived_segments");

  /** Tells copies with all columns of this version from older ones. */
  private static final String ENDING = "-2.csv";

  private static final String COPY =
      "copy (select * from "
          + ArchivedRows.TABLE
          + ") to %s (format csv, header false, nullstr '\\N', force_quote ("
          + HistoryColumns.joined(
              HistoryColumns.OF_VIEW.stream().filter(HistoryColumn::isText).toList(),
              HistoryColumn::name)
          + "))";

  private static final QueryPart COLUMNS =
      DSL.sql(HistoryColumns.joined(HistoryColumns.OF_VIEW, HistoryColumn::definition));

  private final Database database;
  private final RegistryTables rota;
  private final Archive archive;
  private final Path folder;
  private final Path serverFolder;

  /** One segment, and the text of the range of its tasks' times of enqueue. */
  private record Part(ArchivedSegment segment, @Nullable String from, @Nullable String to) {

    String fileName() {
      return "seq=" + segment.seq() + "-" + segment.sha256().substring(0, 16) + ENDING;
    }
  }

  /** See {@link ForeignHistory#in}. */
  public DefaultForeignHistory(Rota rota, Archive archive, Path folder, Path serverFolder) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    this.database = kernel.database();
    this.rota = kernel.tables();
    this.archive = archive;
    this.folder = folder;
    this.serverFolder = serverFolder;
  }

  @Override
  public Attached attach(Tenant tenant) {
    TenantTables tables = rota.tenant(tenant.number());
    String purpose = "attach the archive of tenant '" + tenant.name() + "'";
    List<Part> parts = database.transaction(purpose, session -> parts(session, tenant.number()));
    parts.forEach(part -> copy(tenant, part));
    Attached attached = database.transaction(purpose, session -> attach(session, tables, parts));
    clean(tenant, parts);
    return attached;
  }

  @Override
  public void detach(Tenant tenant) {
    TenantTables tables = rota.tenant(tenant.number());
    database.run(
        "detach the archive of tenant '" + tenant.name() + "'",
        session -> session.run(on(DROP_ARCHIVE_TABLE, Map.of("parent", tables.archived()))));
    clean(tenant, List.of());
  }

  private List<Part> parts(Session session, int tenant) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_ARCHIVED_SEGMENTS.call(),
            LIST_ARCHIVED_SEGMENTS.on("archive", rota.archive(), "segments", rota.segments()),
            row ->
                new Part(
                    new ArchivedSegment(
                        tenant, row.getInt(1), row.getString(2), row.getLong(3), row.getString(4)),
                    row.getString(5),
                    row.getString(6)),
            tenant));
  }

  private Attached attach(Session session, TenantTables tables, List<Part> parts)
      throws SQLException {
    session.run(on(CREATE_FILE_FDW, Map.of()));
    session.run(on(CREATE_FILE_SERVER, Map.of()));
    session.run(on(CREATE_ARCHIVE_TABLE, Map.of("parent", tables.archived(), "columns", COLUMNS)));
    session.run(on(WIDEN_ARCHIVE_TABLE, Map.of("parent", tables.archived())));
    Map<Integer, String> wanted = new HashMap<>();
    parts.forEach(part -> wanted.put(part.segment().seq(), serverFile(tables, part)));
    Map<Integer, String> present = children(session, tables);
    int removed = 0;
    for (Map.Entry<Integer, String> child : present.entrySet()) {
      if (!child.getValue().equals(wanted.get(child.getKey()))) {
        session.run(on(DROP_ARCHIVE_PART, Map.of("child", tables.archived(child.getKey()))));
        removed++;
      }
    }
    int added = 0;
    for (Part part : parts) {
      String file = serverFile(tables, part);
      if (!file.equals(present.get(part.segment().seq()))) {
        add(session, tables, part, file);
        added++;
      }
    }
    return new Attached(tables.archived().toString(), parts.size(), added, removed);
  }

  /** Adds a part. A segment without rows has no times, and its part no bounds that matter. */
  private static void add(Session session, TenantTables tables, Part part, String file)
      throws SQLException {
    String any = "-infinity";
    session.run(
        on(
            CREATE_ARCHIVE_PART,
            Map.of(
                "child", tables.archived(part.segment().seq()),
                "parent", tables.archived(),
                "from", inline(part.from() == null ? any : part.from()),
                "to", inline(part.to() == null ? any : part.to()),
                "file", inline(file))));
  }

  private static Map<Integer, String> children(Session session, TenantTables tables)
      throws SQLException {
    Map<Integer, String> children = new HashMap<>();
    session
        .run(
            BoundStatement.query(
                LIST_ARCHIVE_PARTS,
                row -> Map.entry(row.getInt(1), row.getString(2)),
                tables.archived().toString()))
        .forEach(child -> children.put(child.getKey(), child.getValue()));
    return children;
  }

  private static BoundStatement<Integer> on(Sql statement, Map<String, ? extends QueryPart> parts) {
    return BoundStatement.update(statement.call(), statement.on(parts));
  }

  private String serverFile(TenantTables tables, Part part) {
    return serverFolder.resolve("tenant=" + tables.number()).resolve(part.fileName()).toString();
  }

  private Path folderOf(Tenant tenant) {
    return folder.resolve("tenant=" + tenant.number());
  }

  /** Copies a part. The copy appears under its name only when it is complete. */
  private void copy(Tenant tenant, Part part) {
    Path file = folderOf(tenant).resolve(part.fileName());
    if (Files.exists(file)) {
      return;
    }
    try {
      Files.createDirectories(file.getParent());
      Path unfinished = Files.createTempFile(file.getParent(), "unfinished", "");
      try (ArchivedRows rows = archive.open(part.segment());
          Statement statement = rows.connection().createStatement()) {
        statement.execute(COPY.formatted(DuckDbFile.literal(unfinished.toString())));
        makeReadable(unfinished);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException | SQLException e) {
      throw new ArchiveException(
          "cannot copy %s of tenant '%s' into %s: %s; check the folder and its free space"
              .formatted(part.segment().key(), tenant.name(), folder, e.getMessage()),
          e);
    }
  }

  /** Makes a file readable for the server, which usually runs as another user. */
  private static void makeReadable(Path file) throws IOException {
    if (!file.toFile().setReadable(true, false)) {
      throw new IOException("its permissions cannot be changed");
    }
  }

  private void clean(Tenant tenant, List<Part> kept) {
    Path own = folderOf(tenant);
    List<String> names = kept.stream().map(Part::fileName).toList();
    if (!Files.isDirectory(own)) {
      return;
    }
    try (Stream<Path> files = Files.list(own)) {
      for (Path file : files.toList()) {
        if (!names.contains(file.getFileName().toString())) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new ArchiveException(
          "cannot remove old copies of tenant '%s' from %s: %s"
              .formatted(tenant.name(), own, e.getMessage()),
          e);
    }
  }
}
