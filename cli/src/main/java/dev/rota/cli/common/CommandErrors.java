package dev.rota.cli.common;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.SchemaMissingException;
import dev.rota.internal.db.NoConnectionException;
import dev.rota.internal.db.SqlErrors;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Explains any exception in one sentence, with the remedy. */
public final class CommandErrors {

  private static final int LONGEST_CHAIN = 20;
  private static final Pattern REFUSED = Pattern.compile("Connection to (\\S+) refused");

  private CommandErrors() {}

  public static String describe(Throwable failure) {
    List<Throwable> chain = chain(failure);
    if (find(chain, InterruptedException.class, e -> true).isPresent()) {
      return "stopped before the end";
    }
    if (find(chain, SchemaMissingException.class, e -> true).isPresent()) {
      return schemaMissing();
    }
    // The exception with a state says most: pools and jOOQ wrap it in ones that have none.
    Optional<SQLException> sql = find(chain, SQLException.class, e -> e.getSQLState() != null);
    return sql.flatMap(e -> describeSql(e, chain)).orElseGet(() -> describeOther(chain));
  }

  public static String schemaMissing() {
    return "the schema of Rota is missing in this database, or older than this program;"
        + " run `rota migrate` first";
  }

  private static Optional<String> describeSql(SQLException failure, List<Throwable> chain) {
    String said = firstLine(failure.getMessage());
    if (SqlErrors.isMissingTable(failure)) {
      return Optional.of(schemaMissing());
    }
    if (SqlErrors.isForbidden(failure)) {
      return Optional.of(said + "; the operations page lists the grants that a role needs");
    }
    return switch (failure.getSQLState()) {
      case "08001" -> Optional.of(unreachable(said, chain));
      case "08004" -> Optional.of("the server refused the connection: " + said);
      case "28P01", "28000" ->
          Optional.of(
              "the server refused the login ("
                  + said
                  + "); check PGUSER and PGPASSWORD,"
                  + " or user and password in the URL");
      case "3D000" -> Optional.of("the server has no such database (" + said + ")");
      case "53300" -> Optional.of("the server has no free connection (" + said + ")");
      case "57P01", "57P02", "57P03", "08003", "08006", "08007" ->
          Optional.of("the server went away or is not ready (" + said + ")");
      default -> Optional.empty();
    };
  }

  private static String unreachable(String said, List<Throwable> chain) {
    String sought =
        find(chain, NoConnectionException.class, e -> true)
            .map(e -> " (" + e.destination() + ")")
            .orElse("");
    Optional<UnknownHostException> unknown =
        find(chain, UnknownHostException.class, e -> e.getMessage() != null);
    if (unknown.isPresent()) {
      return "the host " + unknown.get().getMessage() + " is unknown; check the URL" + sought;
    }
    Matcher refused = REFUSED.matcher(said);
    return refused.find()
        ? "no server answers at "
            + refused.group(1)
            + " (connection refused); is it running, and"
            + " are host and port right?"
            + sought
        : "the server cannot be reached: " + said;
  }

  private static String describeOther(List<Throwable> chain) {
    Throwable first = chain.get(0);
    if (first instanceof DatabaseException database && database.unavailable()) {
      return "the server went away or cannot be reached: " + firstLine(first.getMessage());
    }
    if (first instanceof RotaException || first instanceof UsageException) {
      return firstLine(first.getMessage());
    }
    return find(chain, FileSystemException.class, e -> true)
        .map(CommandErrors::describeFile)
        .or(() -> find(chain, RotaException.class, e -> true).map(e -> firstLine(e.getMessage())))
        .or(() -> find(chain, SQLException.class, e -> true).map(e -> firstLine(e.getMessage())))
        .orElseGet(() -> first.getClass().getSimpleName() + ": " + firstLine(first.getMessage()));
  }

  private static String describeFile(FileSystemException failure) {
    String why =
        failure instanceof NoSuchFileException
            ? "no such file or directory"
            : failure.getClass().getSimpleName() + " " + firstLine(failure.getReason());
    return failure.getFile() + ": " + why;
  }

  public static List<Throwable> chain(Throwable failure) {
    List<Throwable> chain = new ArrayList<>();
    for (Throwable t = failure; t != null && chain.size() < LONGEST_CHAIN; t = t.getCause()) {
      chain.add(t);
    }
    return chain;
  }

  private static <T extends Throwable> Optional<T> find(
      List<Throwable> chain, Class<T> type, Predicate<T> condition) {
    return chain.stream().filter(type::isInstance).map(type::cast).filter(condition).findFirst();
  }

  private static String firstLine(@Nullable String message) {
    return message == null || message.isBlank()
        ? "no reason given"
        : message.strip().lines().findFirst().orElse("");
  }
}
