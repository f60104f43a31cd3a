package dev.rota.typed;

import dev.rota.Tenant;
import dev.rota.Worker;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the kind of the tasks that a method of an interface stands for. Producers call the method
 * to enqueue a task; workers run the method of a service.
 *
 * <pre>{@code
 * interface MailTasks {
 *   @TaskKind("email.send")
 *   void send(SendMail mail);
 * }
 * }</pre>
 *
 * <p>The method has one parameter, from which the payload is written, or none. It returns nothing,
 * or a {@code long}: the id of the task for producers. What a service returns is ignored.
 *
 * @see Tenant#tasks(Class)
 * @see Worker.Builder#handle(Class, Object)
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface TaskKind {

  /**
   * The kind.
   *
   * @return 1 to 128 characters out of {@code A-Z a-z 0-9 . _ : / -}
   */
  String value();

  /**
   * The former names of the kind; see {@link Kind#formerly(String...)}.
   *
   * @return the names, none by default
   */
  String[] formerly() default {};
}
