package dev.rota.spring;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.propagation.ContextPropagators;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** An auto-configuration that the starter does not know. By the alphabet it comes after Rota's. */
@AutoConfiguration
class TelemetryOfVendor {

  @Bean
  OpenTelemetry vendorsTelemetry(ContextPropagators propagators) {
    return OpenTelemetry.propagating(propagators);
  }
}
