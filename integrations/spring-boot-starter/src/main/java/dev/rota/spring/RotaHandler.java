package dev.rota.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs the tasks of a kind by this method of a bean.
 *
 * <pre>{@code
 * @RotaHandler("email.send")
 * void send(SendMail mail, Task task) { ... }
 * }</pre>
 *
 * <p>The method takes the value of the payload, the {@link dev.rota.Task}, both or neither, in any
 * order. A {@code String} is the payload itself. A value of another type is read by the {@link
 * dev.rota.spi.PayloadCodec} of the application; a task whose payload cannot be read is dead at
 * once. With {@link dev.rota.DeliveryMode#TRANSACTIONAL} the method may take the {@link
 * java.sql.Connection} of the claim too.
 *
 * <p>It is called from several threads at once. A normal return means that the task is done; what
 * it returns is ignored. An exception means what it means in {@link dev.rota.TaskHandler}. Each
 * kind has one method. The method must not be private, and is called through the proxy of its bean,
 * so that it may be {@code @Transactional}.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RotaHandler {

  /**
   * The kind, as it is stored. Placeholders such as <code>${mail.kind}</code> are replaced.
   *
   * @return the kind
   */
  String value();

  /**
   * The former names of the kind, under which tasks may still be stored.
   *
   * @return the names; none by default
   */
  String[] formerly() default {};
}
