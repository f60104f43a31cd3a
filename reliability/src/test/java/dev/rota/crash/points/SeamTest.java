package dev.rota.crash.points;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashTest;
import dev.rota.internal.db.Session.StatementObserver;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests that every statement passes the seam, so that tests number it, and that some scenario makes
 * every call, so that tests break it.
 */
@CrashTest
class SeamTest {

  private static final List<String> UNDECLARED = new ArrayList<>();
  private static final Set<String> REACHED = new TreeSet<>();
  private static int passed;

  @BeforeAll
  static void playAllScenarios() throws Exception {
    try (PointsEnvironment server = new PointsEnvironment(18)) {
      for (CrashScenario scenario : Scenarios.all()) {
        CrashPointRun run = CrashPointRun.unbroken(server, scenario);
        Customs customs = new Customs(run.tap());
        List<Point> points = run.over(customs::over).watchedBy(customs).perform();
        points.forEach(point -> REACHED.addAll(point.names()));
        passed += customs.passed.size();
        customs.undeclared.forEach(each -> UNDECLARED.add(scenario.name() + ": " + each));
      }
    }
  }

  @Test
  void nothingGoesPastTheSeam() {
    assertThat(UNDECLARED).isEmpty();
    assertThat(passed).isGreaterThan(500);
  }

  /** The author of a new statement plays a scenario with it, or gives a reason. */
  @Test
  void everyCallIsMadeInAScenarioOrHasAReasonNotToBe() throws Exception {
    Set<String> reached = new TreeSet<>(REACHED);
    reached.removeAll(UnreachedCalls.timed());
    Set<String> unreached = new TreeSet<>(written());
    unreached.removeAll(reached);
    assertThat(unreached).isEqualTo(UnreachedCalls.names());
  }

  /** Else the names that no scenario reaches could go unread as well. */
  @Test
  void everyCallThatIsMadeIsFoundInTheSources() throws Exception {
    assertThat(written()).containsAll(REACHED);
  }

  private static Set<String> written() throws IOException {
    return CallNames.in(sourcesOf("core"), sourcesOf("partition-manager"), sourcesOf("cli"));
  }

  private static Path sourcesOf(String module) {
    return Path.of("..", module, "src", "main", "java");
  }

  /** Lets each announcement stand for one round trip of the same thread. */
  private static final class Customs implements StatementObserver {

    private static final String FLYWAY = "org.flywaydb.";
    private static final Set<String> ROUND_TRIPS =
        Set.of("commit", "rollback", "setSavepoint", "releaseSavepoint");

    private final StatementObserver next;
    private final Set<Thread> declared = ConcurrentHashMap.newKeySet();
    private final List<String> passed = new CopyOnWriteArrayList<>();
    private final List<String> undeclared = new CopyOnWriteArrayList<>();

    Customs(StatementObserver next) {
      this.next = next;
    }

    @Override
    public void before(String call) throws SQLException {
      next.before(call);
    }

    @Override
    public void sending(Connection connection) throws SQLException {
      next.sending(connection);
      declared.add(Thread.currentThread());
    }

    @Override
    public void answered(Connection connection) throws SQLException {
      next.answered(connection);
    }

    DataSource over(DataSource pool) {
      return proxy(
          DataSource.class,
          pool,
          (method, result, arguments) ->
              result instanceof Connection connection ? over(connection) : result);
    }

    private Connection over(Connection connection) {
      return proxy(
          Connection.class,
          connection,
          (method, result, arguments) -> {
            if (ROUND_TRIPS.contains(method.getName())) {
              check(method.getName());
            }
            if (result instanceof PreparedStatement prepared) {
              return over(PreparedStatement.class, prepared, (String) arguments[0]);
            }
            return result instanceof Statement plain ? over(Statement.class, plain, "") : result;
          });
    }

    private <T extends Statement> T over(Class<T> type, T statement, String text) {
      return proxy(
          type,
          statement,
          (method, result, arguments) -> {
            if (method.getName().startsWith("execute")) {
              check(arguments == null ? text : (String) arguments[0]);
            }
            return result;
          });
    }

    private void check(String trip) {
      if (declared.remove(Thread.currentThread())) {
        passed.add(trip);
      } else if (!isByOthers(trip)) {
        undeclared.add(trip);
      }
    }

    /** A handler has the connection of its transaction, and Flyway gets the pool itself. */
    private static boolean isByOthers(String trip) {
      return trip.contains(".effect values")
          || StackWalker.getInstance()
              .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(FLYWAY)));
    }

    private static <T> T proxy(Class<T> type, T target, Passage passage) {
      return type.cast(
          Proxy.newProxyInstance(
              SeamTest.class.getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) ->
                  passage.pass(method, call(target, method, arguments), arguments)));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    /** What is made of the result of a call. */
    @FunctionalInterface
    private interface Passage {
      Object pass(Method method, Object result, Object[] arguments) throws Throwable;
    }
  }
}
