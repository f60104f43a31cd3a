package dev.rota.crash.campaign;

import dev.rota.DeliveryMode;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashTest;
import org.junit.jupiter.api.Test;

/** Runs faults of all kinds against leases. */
@Alone
@CrashTest
class LeasedCampaignTest extends CampaignTest {

  LeasedCampaignTest() {
    super(DeliveryMode.LEASED);
  }

  @Override
  @Test
  void nothingIsLostOrDoneTwiceWithoutCause() throws Exception {
    super.nothingIsLostOrDoneTwiceWithoutCause();
  }
}
