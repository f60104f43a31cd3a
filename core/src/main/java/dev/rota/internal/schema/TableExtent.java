package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Name;

/**
 * The file of a table, and its number of blocks. Work that processes a table by blocks in several
 * transactions compares the files. Another file means that the table was rewritten or truncated
 * meanwhile: its rows may be in blocks that were already processed.
 *
 * @param file the number of the file
 * @param blocks its number of blocks
 */
public record TableExtent(long file, long blocks) {

  private static final Sql READ_EXTENT = Sql.named("read_extent");

  /** Reads the extent of a table. */
  public static TableExtent of(Session session, Name table) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                READ_EXTENT.call(),
                READ_EXTENT.text(),
                row -> new TableExtent(row.getLong(1), row.getLong(2)),
                Sql.render(table)))
        .get(0);
  }

  /**
   * The blocks from one on, so many at most. The last range also has the rows that are inserted
   * behind the end meanwhile.
   */
  public BlockRange range(long from, long most) {
    long to = from + most;
    return to < blocks ? new BlockRange(from, to) : BlockRange.withoutEnd(from);
  }

  /** All blocks, so many at most in each range. */
  public List<BlockRange> ranges(long most) {
    List<BlockRange> ranges = new ArrayList<>();
    for (long from = 0; from < blocks; from += most) {
      ranges.add(range(from, most));
    }
    return ranges;
  }

  /** Whether no row has moved since: neither was the table rewritten nor truncated. */
  public boolean isSameFileAs(TableExtent earlier) {
    return file == earlier.file;
  }
}
