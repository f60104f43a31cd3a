package dev.rota.internal.db;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.SqlCommand;
import org.postgresql.core.v3.SqlSerializationContext;

/**
 * Any mix of the driver's queries as one. The driver sends its parts one after the other, those that
 * it has prepared by their names, and one Sync behind them.
 */
final class PipelinedQuery implements Query {

  private final Query[] parts;

  PipelinedQuery(Query[] parts) {
    this.parts = parts;
  }

  @Override
  public Query[] getSubqueries() {
    return parts;
  }

  @Override
  public ParameterList createParameterList() {
    throw new UnsupportedOperationException("the values of a pipeline come from its template");
  }

  @Override
  public String getNativeSql() {
    return Arrays.stream(parts).map(Query::getNativeSql).collect(Collectors.joining(";\n"));
  }

  @Override
  public String toString() {
    return getNativeSql();
  }

  @Override
  public String toString(@Nullable ParameterList values) {
    return getNativeSql();
  }

  @Override
  public String toString(@Nullable ParameterList values, SqlSerializationContext context) {
    return getNativeSql();
  }

  @Override
  public @Nullable SqlCommand getSqlCommand() {
    return null;
  }

  @Override
  public void close() {
    // Its parts outlive it.
  }

  @Override
  public boolean isStatementDescribed() {
    return false;
  }

  @Override
  public boolean isEmpty() {
    return false;
  }

  @Override
  public int getBatchSize() {
    return 0;
  }

  @Override
  public @Nullable Map<String, Integer> getResultSetColumnNameIndexMap() {
    return null;
  }
}
