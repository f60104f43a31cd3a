package dev.rota.spring;

import dev.rota.Tenants;
import dev.rota.Worker;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** The worker of the annotated methods: its settings, handlers and schedules. */
final class AnnotatedWorker {

  private final AnnotatedMethods methods;
  private final WorkerSettings settings;
  private final List<RotaCustomizer<Worker.Builder>> customizers;

  AnnotatedWorker(
      AnnotatedMethods methods,
      WorkerSettings settings,
      ObjectProvider<RotaCustomizer<Worker.Builder>> customizers) {
    this.methods = methods;
    this.settings = settings;
    this.customizers = customizers.orderedStream().toList();
  }

  WorkerSettings settings() {
    return settings;
  }

  /** Whether there is nothing that gives it a handler. */
  boolean isEmpty() {
    return methods.handlers().isEmpty() && customizers.isEmpty();
  }

  /** Stores the schedules of the annotated methods. */
  void storeSchedules(Tenants tenants) {
    methods.schedules().forEach(schedule -> schedule.store(tenants));
  }

  /** Gives a worker its settings and handlers. */
  Worker.Builder configure(Worker.Builder builder) {
    settings.apply(builder);
    methods.handlers().forEach(handler -> handler.addTo(builder, settings.delivery()));
    customizers.forEach(customizer -> customizer.customize(builder));
    return builder;
  }
}
