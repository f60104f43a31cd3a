package dev.rota.crash;

import dev.rota.processes.ProcessLogs;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a class of the crash suite, which runs with {@code mvn verify -Pcrash} only. A failed test
 * prints how to run it again with the same seed.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("crash")
@ExtendWith({RepeatHint.class, ProcessLogs.class})
public @interface CrashTest {}
