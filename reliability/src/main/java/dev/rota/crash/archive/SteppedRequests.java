package dev.rota.crash.archive;

import dev.rota.crash.Steps;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/** Counts two steps for each request to a bucket. */
record SteppedRequests(Steps steps) implements ExecutionInterceptor {

  @Override
  public void beforeTransmission(
      Context.BeforeTransmission context, ExecutionAttributes attributes) {
    steps.reach("before " + name(context.request()));
  }

  @Override
  public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
    steps.reach("after " + name(context.request()));
  }

  private static String name(SdkRequest request) {
    return request.getClass().getSimpleName();
  }
}
