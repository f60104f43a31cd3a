package dev.rota.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.demo.Workflow.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parses the JSON format of WfCommons: {@code workflow.tasks[]} with {@code name} and {@code
 * parents}. From version 1.5 of the format on the tasks are in {@code
 * workflow.specification.tasks[]}, and parents are given by {@code id}.
 */
final class WorkflowReader {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final Path file;
  private final Map<String, Integer> byName = new HashMap<>();
  private final Map<String, Integer> byId = new HashMap<>();

  WorkflowReader(Path file) {
    this.file = file;
  }

  Workflow read() {
    JsonNode tasks = tasks(parse());
    for (JsonNode task : tasks) {
      register(task);
    }
    List<Step> steps = new ArrayList<>();
    for (JsonNode task : tasks) {
      steps.add(step(task, steps.size()));
    }
    return new Workflow(steps);
  }

  private JsonNode parse() {
    try {
      return MAPPER.readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw malformed("it is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException("the workflow " + file + " cannot be read", e);
    }
  }

  private JsonNode tasks(JsonNode root) {
    JsonNode workflow = root.path("workflow");
    JsonNode tasks = workflow.path("tasks");
    if (tasks.isMissingNode()) {
      tasks = workflow.path("specification").path("tasks");
    }
    if (!tasks.isArray() || tasks.isEmpty()) {
      throw malformed("it has no tasks; they are expected as an array in workflow.tasks");
    }
    return tasks;
  }

  private void register(JsonNode task) {
    int index = byName.size();
    String name = name(task, index);
    if (byName.put(name, index) != null) {
      throw malformed("two tasks are called '" + name + "'");
    }
    JsonNode id = task.path("id");
    if (id.isTextual() && byId.put(id.textValue(), index) != null) {
      throw malformed("two tasks have the id '" + id.textValue() + "'");
    }
  }

  private String name(JsonNode task, int index) {
    JsonNode name = task.path("name");
    if (!name.isTextual() || name.textValue().isBlank()) {
      throw malformed("task " + index + " has no name");
    }
    return name.textValue();
  }

  private Step step(JsonNode task, int index) {
    String name = name(task, index);
    JsonNode parents = task.path("parents");
    if (!parents.isArray()) {
      throw malformed("task '" + name + "' has no array of parents");
    }
    Set<Integer> indices = new LinkedHashSet<>();
    for (JsonNode parent : parents) {
      indices.add(parent(name, parent));
    }
    return new Step(name, List.copyOf(indices));
  }

  private int parent(String child, JsonNode parent) {
    Integer index = byName.get(parent.asText());
    if (index == null) {
      index = byId.get(parent.asText());
    }
    if (index == null) {
      throw malformed("task '" + child + "' has a parent " + parent + ", which is not a task");
    }
    return index;
  }

  private MalformedWorkflowException malformed(String problem) {
    return new MalformedWorkflowException(file, problem);
  }
}
