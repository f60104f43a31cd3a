package dev.rota.crash.fuzz;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.Tenant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Every path by which a text gets into Rota. Each accepts it and returns it unchanged, or refuses
 * it as bad input before the database gets it; any other result is a failure.
 */
final class EntryPoints implements AutoCloseable {

  /** The tenant that gets the texts. */
  static final String TENANT = "fuzzed";

  private final Rota rota;
  private final FileWays files;
  private final List<IntakePath> ways;

  EntryPoints(String jdbcUrl) {
    rota = Rota.builder(jdbcUrl).poolSize(4).build();
    rota.admin().migrate();
    Tenant tenant = rota.tenants().register(TENANT);
    files = new FileWays(rota);
    ways =
        Stream.of(
                new ApiWays(jdbcUrl, rota, tenant).all(),
                files.all(),
                new CommandWays(jdbcUrl, tenant).all())
            .flatMap(List::stream)
            .toList();
  }

  List<IntakePath> ways() {
    return ways;
  }

  /** Passes a text to one path; throws an {@link AssertionError} for any result but those two. */
  static void take(IntakePath way, String text) {
    try {
      way.intake().take(text);
    } catch (DatabaseException e) {
      throw wrong(way, text, e);
    } catch (IllegalArgumentException | IllegalStateException | RotaException e) {
      requireOneLine(way, text, e);
    } catch (Exception | AssertionError e) {
      throw wrong(way, text, e);
    }
  }

  private static void requireOneLine(IntakePath way, String text, RuntimeException refusal) {
    try {
      Answers.requireOneLine("its message", String.valueOf(refusal.getMessage()));
    } catch (AssertionError e) {
      e.addSuppressed(refusal);
      throw wrong(way, text, e);
    }
  }

  private static AssertionError wrong(IntakePath way, String text, Throwable cause) {
    return new AssertionError(way.name() + " with " + Answers.shown(text) + ": " + cause, cause);
  }

  @Override
  public void close() {
    files.close();
    rota.close();
  }
}
