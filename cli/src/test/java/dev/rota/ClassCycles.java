package dev.rota;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the largest set of classes that all depend on each other, directly or through others of the
 * set. That is the largest strongly connected component of the graph of top-level classes. A nested
 * class counts as its top-level class.
 */
final class ClassCycles {

  private final Map<String, Set<String>> dependencies = new TreeMap<>();

  private ClassCycles(JavaClasses classes) {
    classes.forEach(type -> dependencies.put(topLevel(type), new TreeSet<>()));
    for (JavaClass type : classes) {
      Set<String> targets = dependencies.get(topLevel(type));
      type.getDirectDependenciesFromSelf().stream()
          .map(dependency -> topLevel(dependency.getTargetClass()))
          .filter(dependencies::containsKey)
          .forEach(targets::add);
    }
  }

  /** The names of the classes in it, or one name where there is no cycle. */
  static Set<String> largest(JavaClasses classes) {
    ClassCycles cycles = new ClassCycles(classes);
    return cycles.components().stream()
        .max(Comparator.comparingInt(Set::size))
        .orElseThrow(() -> new IllegalArgumentException("there are no classes"));
  }

  /** Kosaraju's algorithm: components are what the reversed graph reaches, last finished first. */
  private Collection<Set<String>> components() {
    Deque<String> finished = new ArrayDeque<>();
    Set<String> seen = new HashSet<>();
    dependencies.keySet().forEach(start -> visit(start, dependencies, seen, finished));
    Map<String, Set<String>> users = users();
    Set<String> assigned = new HashSet<>();
    Map<String, Set<String>> components = new HashMap<>();
    for (String start : finished) {
      Deque<String> component = new ArrayDeque<>();
      visit(start, users, assigned, component);
      components.put(start, new TreeSet<>(component));
    }
    return components.values();
  }

  /**
   * Puts all that is reached for the first time in front of the found ones, callees before callers.
   */
  private static void visit(
      String start, Map<String, Set<String>> graph, Set<String> seen, Deque<String> found) {
    if (!seen.add(start)) {
      return;
    }
    graph.getOrDefault(start, Set.of()).forEach(next -> visit(next, graph, seen, found));
    found.push(start);
  }

  private Map<String, Set<String>> users() {
    Map<String, Set<String>> users = new HashMap<>();
    dependencies.forEach(
        (user, targets) ->
            targets.forEach(
                target -> users.computeIfAbsent(target, unused -> new TreeSet<>()).add(user)));
    return users;
  }

  private static String topLevel(JavaClass type) {
    String name = type.getBaseComponentType().getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
