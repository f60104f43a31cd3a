package dev.rota.dashboard.internal.api;

import dev.rota.dashboard.PayloadRenderer;
import dev.rota.dashboard.internal.action.Action;
import dev.rota.dashboard.internal.action.Actions;
import dev.rota.dashboard.internal.action.Operations;
import dev.rota.dashboard.internal.api.ApiObjects.Begun;
import dev.rota.dashboard.internal.api.ApiObjects.Preview;
import dev.rota.dashboard.internal.api.ApiObjects.Problem;
import dev.rota.dashboard.internal.read.Reads;
import dev.rota.dashboard.internal.view.Trouble;
import dev.rota.dashboard.internal.view.Visit;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the dashboard tells programs, and lets them change. Thread-safe. */
public final class Api {

  /** Where the paths of the API begin. */
  public static final String ROOT = "/api/v1";

  private static final String ACTIONS = "/actions/";
  private static final String DOCUMENT = "/openapi.json";

  private final Actions actions;
  private final Map<String, Endpoint> endpoints;
  private final String document = document();

  /**
   * An answer.
   *
   * @param status the status of HTTP
   * @param json the content
   */
  public record Answer(int status, String json) {}

  public Api(Reads reads, Actions actions, Operations operations, PayloadRenderer payloads) {
    this.actions = actions;
    this.endpoints =
        new Endpoints(reads, operations, payloads)
            .all().stream().collect(Collectors.toMap(Endpoint::path, Function.identity()));
  }

  private static String document() {
    try (InputStream in = Api.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IllegalStateException("the dashboard lacks its resource openapi.json");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Endpoint> endpoints() {
    return List.copyOf(endpoints.values());
  }

  /** Reads what a visit asks for. */
  public Answer read(Visit visit) {
    String path = visit.path().substring(ROOT.length());
    if (path.equals(DOCUMENT)) {
      return new Answer(200, document);
    }
    return Optional.ofNullable(endpoints.get(path))
        .map(endpoint -> new Answer(200, JsonWriter.write(endpoint.read().apply(visit))))
        .orElseGet(Api::missing);
  }

  /** Begins an action, or tells what it would do if the visit asks for a dry run. */
  public Answer act(Visit visit) {
    String path = visit.path().substring(ROOT.length());
    if (!path.startsWith(ACTIONS)) {
      return missing();
    }
    return actions
        .find(visit, path.substring(ACTIONS.length()))
        .map(action -> act(visit, action))
        .orElseGet(Api::missing);
  }

  private Answer act(Visit visit, Action action) {
    Action.Plan plan = action.plan(visit);
    return visit.parameter("dryRun").filter(Boolean::parseBoolean).isPresent()
        ? new Answer(200, JsonWriter.write(Preview.of(plan)))
        : new Answer(202, JsonWriter.write(new Begun(actions.begin(visit, action, plan))));
  }

  private static Answer missing() {
    return trouble(new Trouble(404, "The API has no such path. See openapi.json."));
  }

  /** Says why a request was not served. */
  public static Answer trouble(Trouble trouble) {
    return new Answer(
        trouble.status(),
        JsonWriter.write(new Problem(trouble.status(), trouble.title(), trouble.text())));
  }
}
