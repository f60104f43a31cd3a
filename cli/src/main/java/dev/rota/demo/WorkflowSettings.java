package dev.rota.demo;

import java.time.Duration;

/**
 * The settings of a demo of a workflow.
 *
 * @param workflow the workflow
 * @param copies the number of graphs
 * @param tenants the number of tenants
 * @param threads the threads that enqueue and work
 * @param patience the time without any progress after which it gives up
 */
public record WorkflowSettings(
    Workflow workflow, int copies, int tenants, DemoSettings.Threads threads, Duration patience) {}
