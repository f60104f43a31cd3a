package dev.rota.docs;

import dev.rota.NewTask;
import dev.rota.RetryAfterException;
import dev.rota.Rota;
import dev.rota.TaskHandler;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.limits.Breaker;
import dev.rota.limits.Controls;
import dev.rota.limits.Explanation;
import dev.rota.limits.Limits;
import dev.rota.limits.LiveShares;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Reason;
import dev.rota.limits.Scope;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;

/** The examples of docs/limits.md. */
final class LimitsExample {

  private LimitsExample() {}

  static void plans(Rota rota) {
    // begin plans
    Controls controls = rota.controls();
    controls.changeLimits(
        Scope.plan("free"),
        limits -> limits.concurrency(5).rate(100, Duration.ofMinutes(1)).maxPending(10_000));
    controls.changeLimits(Scope.plan("pro"), limits -> limits.weight(4).concurrency(50));
    controls.changeLimits(Scope.kind("stripe.charge"), limits -> limits.concurrency(20)); // in all
    controls.changePlan("acme", "free"); // at sign-up, and "pro" when it pays
    // end plans
  }

  /** Answers a request of a customer. */
  record Response(int status, String body) {

    static Response accepted(long task) {
      return new Response(202, Long.toString(task));
    }

    static Response tooManyRequests(Duration retryAfter) {
      return new Response(429, Long.toString(retryAfter.toSeconds()));
    }
  }

  static Response request(Tenant acme, NewTask task) {
    // begin refuse
    try {
      return Response.accepted(acme.enqueue(task));
    } catch (QuotaExceededException e) {
      return Response.tooManyRequests(e.retryAfter()); // 429 with Retry-After
    }
    // end refuse
  }

  static Controls weights(Rota rota) {
    // begin weights
    Controls controls = rota.controls();
    controls.changeLimits(Scope.plan("pro"), limits -> limits.weight(4)); // four times the share
    controls.changePlan("acme", "pro");
    controls.changeLimits(Scope.tenant("vip"), limits -> limits.weight(8)); // instead of its plan's
    controls.changeLimits(Scope.tenant("vip"), Limits::weightByDefault); // its plan's again
    controls.changeLimits(Scope.plan("enterprise"), limits -> limits.tier(1)); // before others
    // end weights
    return controls;
  }

  static void caps(Controls controls) {
    // begin caps
    controls.changeLimits(Scope.plan("free"), limits -> limits.concurrency(5)); // of each tenant
    controls.changeLimits(Scope.tenant("vip"), limits -> limits.concurrency(50)); // instead of it
    controls.changeLimits(Scope.kind("stripe.charge"), limits -> limits.concurrency(20)); // in all
    controls.changeLimits(Scope.kind("stripe.charge"), Limits::concurrencyByDefault); // no cap
    // end caps
  }

  static void rates(Controls controls) {
    // begin rates
    controls.changeLimits(Scope.kind("sms"), limits -> limits.rate(100, Duration.ofSeconds(1)));
    controls.changeLimits(
        Scope.plan("pro"), limits -> limits.rate(1_000, Duration.ofMinutes(1)).burst(50));
    controls.changeLimits(Scope.kind("sms"), Limits::rateByDefault); // no rate
    // end rates
  }

  static List<Worker> pools(Rota rota, Controls controls, TaskHandler handler) {
    // begin pools
    controls.changeLimits(Scope.plan("enterprise"), limits -> limits.pool("eu")); // of each tenant
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.pool("us")); // instead of it
    Worker eu = rota.worker().pools("eu").handle("mail", handler).start();
    Worker rest = rota.worker().pools("default", "us").handle("mail", handler).start();
    // end pools
    return List.of(eu, rest);
  }

  static Worker shards(Rota rota, TaskHandler handler) {
    // begin shards
    Worker worker = rota.worker().shards(2).handle("mail", handler).start(); // in each process
    // end shards
    return worker;
  }

  static void hold(HttpResponse<String> response) {
    // begin hold
    if (response.statusCode() == 429) {
      throw RetryAfterException.forAll(Duration.ofSeconds(20)); // forTenant: its account alone
    }
    // end hold
  }

  static void breaker(Controls controls) {
    // begin breaker
    Duration minute = Duration.ofMinutes(1);
    Breaker breaker = Breaker.at(0.5).of(20).within(minute).pauseFor(minute.dividedBy(2)).probes(3);
    controls.changeLimits(Scope.kind("stripe.charge"), limits -> limits.breaker(breaker));
    // end breaker
  }

  static void pause(Controls controls, Runnable migrate) {
    // begin pause
    controls.pause(Scope.tenant("acme"), "ticket 4711");
    if (controls.awaitQuiet(Scope.tenant("acme"), Duration.ofMinutes(1))) {
      migrate.run(); // none of its tasks runs, in any process
    }
    controls.resume(Scope.tenant("acme"));
    controls.pause(Scope.kind("stripe.charge"), "Stripe is down", Duration.ofMinutes(10));
    // end pause
  }

  /** Answers a request of a customer. */
  interface Reply {
    void tooManyRequests(Duration retryAfter);
  }

  static void quota(Controls controls, Tenant tenant, NewTask task, Reply reply) {
    // begin quota
    controls.changeLimits(Scope.plan("free"), limits -> limits.maxPending(100_000));
    try {
      tenant.enqueue(task);
    } catch (QuotaExceededException e) {
      reply.tooManyRequests(e.retryAfter()); // 429
    }
    tenant.enqueue(task, Duration.ofSeconds(2)); // waits for room, then throws the same
    controls.changeLimits(
        Scope.plan("free"), limits -> limits.maxPayload(1 << 30, ChronoUnit.DAYS));
    // end quota
  }

  static void why(Rota rota, Consumer<String> dashboard) {
    // begin why
    Explanation found = rota.controls().why("acme");
    for (Reason reason : found.reasons()) {
      dashboard.accept(reason.code() + ": " + reason.text());
    }
    // end why
  }

  static void top(Rota rota, Consumer<String> dashboard) {
    // begin top
    LiveShares shares = rota.controls().top(Duration.ofSeconds(2), 20);
    for (LiveShares.TenantShare tenant : shares.tenants()) {
      dashboard.accept(tenant.tenant() + " " + tenant.share().is() + " of " + tenant.share().due());
    }
    // end top
  }
}
