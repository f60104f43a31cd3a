package example;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.spring.RotaHandler;
import dev.rota.typed.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A shop that takes orders over HTTP, and sends a mail about each. */
@SpringBootApplication
public class Shop {

  static final Kind<Mail> MAIL = Kind.of("email.send", Mail.class);

  private static final Logger log = LoggerFactory.getLogger(Shop.class);

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }

  /** The payload, in JSON. */
  record Mail(String item) {}

  /** Takes orders. */
  @RestController
  static class Orders {
    private final Rota rota;
    private final JdbcClient jdbc;

    Orders(Rota rota, JdbcClient jdbc) {
      this.rota = rota;
      this.jdbc = jdbc;
      rota.tenants().register("acme");
      jdbc.sql("create table if not exists orders (item text)").update();
    }

    /** The order and its task exist together, or neither does. */
    @Transactional
    @PostMapping("/orders/{item}")
    public void order(@PathVariable("item") String item) {
      jdbc.sql("insert into orders values (?)").param(item).update();
      rota.tenants().get("acme").enqueue(MAIL.task(new Mail(item)));
    }
  }

  /** Runs the tasks. */
  @Component
  static class Mails {
    @RotaHandler("email.send")
    void send(Mail mail, Task task) {
      log.info("mail about {}, attempt {}", mail.item(), task.attempt());
    }
  }
}
