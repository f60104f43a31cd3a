package dev.rota.spring.example;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** The example application: a shop that sends mails about its orders. */
@SpringBootApplication(proxyBeanMethods = false)
public class ShopApplication {

  private static final Logger log = LoggerFactory.getLogger(ShopApplication.class);

  public static void main(String[] args) {
    SpringApplication.run(ShopApplication.class, args);
  }

  @Bean
  Mailer mailer() {
    return (to, attempt) -> log.info("mail to {}, attempt {}", to, attempt);
  }
}
