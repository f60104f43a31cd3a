package dev.rota.crash.server;

import dev.rota.crash.CrashTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests servers of all versions. */
@CrashTest
@ParameterizedClass
@ValueSource(ints = {15, 16, 17, 18})
class ControlledServersTest extends ServerDrills {

  ControlledServersTest(int major) {
    super(major);
  }
}
