package dev.rota.dashboard.internal;

import com.sun.net.httpserver.HttpExchange;
import dev.rota.dashboard.DashboardRequest.Caller;
import dev.rota.dashboard.DashboardResponse;
import java.util.Optional;

/** Finds the caller of a request to the server of the JDK, or refuses the request. Thread-safe. */
public abstract class CallerCheck {

  /** The longest name that a viewer may have. */
  private static final int LONGEST_NAME = 200;

  /** What names of users are, for messages. */
  static final String NAMES = "use 1 to " + LONGEST_NAME + " characters, none of them a control";

  CallerCheck() {}

  /** Checks a request, of which it reads the headers alone. */
  abstract Verdict check(HttpExchange exchange);

  /** Whether a request asks if the process or the database lives, which all callers may know. */
  static boolean isProbe(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    return DefaultDashboard.ALIVE.equals(path) || "/readyz".equals(path);
  }

  /** Whether a text can be the name of a viewer, and a part of a line of a log. */
  static boolean isName(String text) {
    return !text.isBlank()
        && text.length() <= LONGEST_NAME
        && text.chars().noneMatch(Character::isISOControl);
  }

  /** What a check has found: the caller, and the answer to send if it refuses the request. */
  record Verdict(Caller caller, Optional<DashboardResponse> refusal) {

    static Verdict unknown() {
      return new Verdict(Caller.unknown(), Optional.empty());
    }

    /** The caller is a user, of whom no roles are known. */
    static Verdict user(String name) {
      Caller caller = new Caller(Optional.of(name), role -> false, Optional.empty());
      return new Verdict(caller, Optional.empty());
    }

    static Verdict refused(DashboardResponse answer) {
      return new Verdict(Caller.unknown(), Optional.of(answer));
    }
  }
}
