package dev.rota.dashboard.internal.api;

import dev.rota.dashboard.internal.action.Action;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.View.Field;
import dev.rota.dashboard.internal.view.Visit;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Describes the API as OpenAPI 3.1 has it, from the types of its answers. Used by one thread. */
final class OpenApiDocument {

  private static final String REFERENCE = "#/components/schemas/";
  private static final String PROBLEM = "Problem";
  private static final Map<String, String> PARAMETERS =
      Map.ofEntries(
          Map.entry("tenant", "The name of a tenant"),
          Map.entry("id", "The number of a task, a graph, or an entry of the audit"),
          Map.entry("kind", "Only this kind"),
          Map.entry("state", "Only this state: dead, failed, running or done"),
          Map.entry("hours", "How many hours back, 1 to 744; 24 by default"),
          Map.entry("search", "A part of the name"),
          Map.entry("order", "name, pending, waiting, running, arrived or claimed"),
          Map.entry("from", "How many tenants to skip"),
          Map.entry("after", "Where the next page begins: next of the last answer, or a name"),
          Map.entry("after-tenant", "The tenant of the last schedule of the page before"),
          Map.entry("before", "Only entries with smaller numbers"),
          Map.entry("shares", "1 to measure shares of handlers, which takes a second"),
          Map.entry("fingerprint", "The fingerprint of an error"));

  private final Map<String, Object> schemas = new TreeMap<>();
  private final Set<Class<?>> types = new LinkedHashSet<>();

  /** The document; {@code visit} is one without fields. */
  static String of(Collection<Endpoint> endpoints, Collection<Action> actions, Visit visit) {
    return new OpenApiDocument().write(endpoints, actions, visit);
  }

  /** The records and constants of which answers consist, by name. */
  static List<String> typesOf(Collection<Endpoint> endpoints) {
    OpenApiDocument document = new OpenApiDocument();
    endpoints.forEach(endpoint -> document.schema(endpoint.type()));
    List.of(ApiObjects.Begun.class, ApiObjects.Preview.class, ApiObjects.Problem.class)
        .forEach(document::schema);
    return document.types.stream().map(Class::getName).sorted().toList();
  }

  private String write(Collection<Endpoint> endpoints, Collection<Action> actions, Visit visit) {
    Map<String, Object> paths = new TreeMap<>();
    endpoints.forEach(endpoint -> paths.put(endpoint.path(), Map.of("get", read(endpoint))));
    actions.forEach(
        action -> paths.put("/actions/" + action.name(), Map.of("post", change(action, visit))));
    var unused = schema(ApiObjects.Problem.class);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("openapi", "3.1.0");
    document.put(
        "info",
        object(
            "title", "Rota",
            "version", "1",
            "description", "Reads across the tenants of a Rota, and changes to their tasks."));
    document.put("servers", List.of(Map.of("url", "../v1")));
    document.put("paths", paths);
    document.put("components", Map.of("schemas", schemas));
    return JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build()
            .writeValueAsString(document)
        + "\n";
  }

  private Map<String, Object> read(Endpoint endpoint) {
    return object(
        "summary", endpoint.summary(),
        "operationId", endpoint.path().substring(1),
        "parameters", endpoint.parameters().stream().map(OpenApiDocument::parameter).toList(),
        "responses", responses("200", "What was asked for", schema(endpoint.type())));
  }

  private static Map<String, Object> parameter(String name) {
    boolean required = name.endsWith("*");
    String plain = required ? name.substring(0, name.length() - 1) : name;
    String description = PARAMETERS.get(plain);
    if (description == null) {
      throw new IllegalArgumentException("the parameter " + plain + " has no description");
    }
    return object(
        "name", plain,
        "in", "query",
        "required", required,
        "description", description,
        "schema", Map.of("type", "string"));
  }

  private Map<String, Object> change(Action action, Visit visit) {
    List<Field> fields = action.fields().apply(visit);
    Map<String, Object> properties = new LinkedHashMap<>();
    fields.forEach(field -> properties.put(field.name(), property(field)));
    properties.put(
        "dryRun",
        object("type", "boolean", "description", "Whether only to tell what it would do"));
    Map<String, Object> form =
        object(
            "type",
            "object",
            "required",
            fields.stream().filter(Field::required).map(Field::name).toList(),
            "properties",
            properties);
    Map<String, Object> responses = responses("202", "It runs", schema(ApiObjects.Begun.class));
    responses.put("200", response("What it would do", schema(ApiObjects.Preview.class)));
    return object(
        "summary",
        action.title(),
        "description",
        "Needs the right " + action.right() + ".",
        "operationId",
        "actions-" + action.name(),
        "parameters",
        List.of(
            object(
                "name", "X-Rota-Client",
                "in", "header",
                "required", true,
                "description", "Any text; pages of other sites cannot send it",
                "schema", Map.of("type", "string"))),
        "requestBody",
        object(
            "required",
            true,
            "content",
            Map.of("application/x-www-form-urlencoded", Map.of("schema", form))),
        "responses",
        responses);
  }

  private static Map<String, Object> property(Field field) {
    Map<String, Object> property = object("type", "string", "description", field.label());
    if (!field.input().choices().isEmpty()) {
      property.put("enum", field.input().choices());
    }
    return property;
  }

  private static Map<String, Object> responses(
      String status, String description, Map<String, Object> schema) {
    Map<String, Object> responses = new TreeMap<>();
    responses.put(status, response(description, schema));
    responses.put(
        "default",
        object(
            "description",
            "Why it was not served",
            "content",
            Map.of(
                "application/problem+json",
                Map.of("schema", Map.of("$ref", REFERENCE + PROBLEM)))));
    return responses;
  }

  private static Map<String, Object> response(String description, Map<String, Object> schema) {
    return object(
        "description",
        description,
        "content",
        Map.of("application/json", Map.of("schema", schema)));
  }

  private Map<String, Object> schema(Type type) {
    if (type instanceof ParameterizedType generic) {
      return schemaOfGeneric(generic);
    } else if (type == String.class) {
      return object("type", "string");
    } else if (type == boolean.class) {
      return object("type", "boolean");
    } else if (type == int.class || type == long.class || type == Long.class) {
      return object("type", "integer");
    } else if (type == double.class) {
      return object("type", "number");
    } else if (type == Instant.class) {
      return object("type", "string", "format", "date-time");
    } else if (type == Duration.class) {
      return object("type", "string", "format", "duration");
    } else if (type == OptionalLong.class) {
      return object("type", "integer");
    } else if (type == Object.class) {
      return object();
    } else if (type instanceof Class<?> constants && constants.isEnum()) {
      types.add(constants);
      return object("type", "string", "enum", namesOf(constants));
    } else if (type instanceof Class<?> record && record.isRecord()) {
      return reference(record);
    }
    throw new IllegalArgumentException("the API has no values of type " + type);
  }

  private Map<String, Object> schemaOfGeneric(ParameterizedType generic) {
    Type[] arguments = generic.getActualTypeArguments();
    Class<?> raw = (Class<?>) generic.getRawType();
    if (raw == Optional.class) {
      return schema(arguments[0]);
    } else if (raw == Map.class) {
      return object("type", "object", "additionalProperties", schema(arguments[1]));
    }
    return object("type", "array", "items", schema(arguments[0]));
  }

  private static List<String> namesOf(Class<?> constants) {
    return Arrays.stream(constants.getEnumConstants())
        .map(each -> Constants.nameOf((Enum<?>) each))
        .toList();
  }

  private Map<String, Object> reference(Class<?> record) {
    String name = nameOf(record);
    if (types.add(record)) {
      Map<String, Object> properties = new LinkedHashMap<>();
      schemas.put(name, properties);
      List<RecordComponent> components = List.of(record.getRecordComponents());
      components.forEach(each -> properties.put(each.getName(), schema(each.getGenericType())));
      schemas.put(
          name,
          object(
              "type",
              "object",
              "required",
              components.stream()
                  .filter(each -> !isOptional(each.getType()))
                  .map(RecordComponent::getName)
                  .toList(),
              "properties",
              properties,
              "additionalProperties",
              false));
    }
    return object("$ref", REFERENCE + name);
  }

  /** The name of a record, behind that of the type around it if several have it. */
  private static String nameOf(Class<?> record) {
    Class<?> around = record.getEnclosingClass();
    return around == null || around == ApiObjects.class
        ? record.getSimpleName()
        : around.getSimpleName() + record.getSimpleName();
  }

  private static boolean isOptional(Class<?> type) {
    return type == Optional.class || type == OptionalLong.class;
  }

  private static Map<String, Object> object(Object... entries) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      object.put((String) entries[i], entries[i + 1]);
    }
    return object;
  }
}
