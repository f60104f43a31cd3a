/**
 * Rota in an application of Spring Boot: beans, handlers and schedules by annotation, transactions,
 * health.
 */
@NullMarked
package dev.rota.spring;

import org.jspecify.annotations.NullMarked;
