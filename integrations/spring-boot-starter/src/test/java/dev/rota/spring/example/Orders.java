package dev.rota.spring.example;

import static dev.rota.spring.example.Mails.SEND_MAIL;

import dev.rota.Rota;
import dev.rota.spring.example.Mails.SendMail;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Takes orders over HTTP, one of each item. */
@RestController
class Orders {

  private final Rota rota;
  private final JdbcClient jdbc;

  Orders(Rota rota, JdbcClient jdbc) {
    this.rota = rota;
    this.jdbc = jdbc;
  }

  // begin transaction
  @Transactional
  @PostMapping("/orders/{item}")
  void order(@PathVariable("item") String item) {
    rota.tenants().get("acme").enqueue(SEND_MAIL.task(new SendMail(item + "@example.org")));
    jdbc.sql("insert into orders values (?)").param(item).update();
  }
  // end transaction
}
