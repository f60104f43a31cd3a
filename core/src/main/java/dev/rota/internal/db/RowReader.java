package dev.rota.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the current row of a result. */
@FunctionalInterface
public interface RowReader<T> {
  T read(ResultSet row) throws SQLException;
}
