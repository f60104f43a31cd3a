package dev.rota.demo;

import java.time.Duration;

/**
 * How a demo of a workflow is run.
 *
 * @param workflow the workflow
 * @param copies how many graphs are made of it
 * @param tenants over how many tenants
 * @param threads how many threads enqueue and work
 * @param patience after how long without any progress it is given up
 */
public record WorkflowSettings(
    Workflow workflow, int copies, int tenants, DemoSettings.Threads threads, Duration patience) {}
