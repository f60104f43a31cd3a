package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.junit.TestRota;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.test.context.event.BeforeTestMethodEvent;

/** Gives a test the worker of its application context; see {@link AutoConfigureRota}. */
@Configuration(proxyBeanMethods = false)
class TestRotaConfiguration {

  @Bean
  ContextTestRota testRota(Rota rota, AnnotatedWorker annotated) {
    return new ContextTestRota(() -> TestRota.over(rota).handlers(annotated::configure));
  }

  /** Begins each test anew, before its own set-up: Spring keeps the context for many of them. */
  @Bean
  ApplicationListener<BeforeTestMethodEvent> testRotaBeginning(ContextTestRota rota) {
    return event -> rota.begin();
  }

  /** Stores the schedules once all beans are known, as the start of the worker would. */
  @Bean
  ApplicationListener<ContextRefreshedEvent> testRotaSchedules(
      Rota rota, AnnotatedWorker annotated) {
    return event -> annotated.storeSchedules(rota.tenants());
  }
}
