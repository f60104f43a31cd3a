package dev.rota.erasure.internal;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.TenantEraser;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An eraser: what its builder was told. Immutable. */
public record ErasureConfig(
    Rota rota, @Nullable Archive archive, boolean closing, Duration patience)
    implements TenantEraser {

  /** With defaults. */
  public static Builder builder(Rota rota) {
    return new EraserBuilder(rota);
  }

  @Override
  public ErasureReceipt erase(String tenant) {
    return new Erasure(this).run(tenant);
  }

  private static final class EraserBuilder implements Builder {
    private final Rota rota;
    private @Nullable Archive archive;
    private boolean closing;
    private Duration patience = Duration.ofSeconds(60);

    EraserBuilder(Rota rota) {
      this.rota = rota;
    }

    @Override
    public Builder archive(Archive to) {
      archive = to;
      return this;
    }

    @Override
    public Builder closing(boolean close) {
      closing = close;
      return this;
    }

    @Override
    public Builder patience(Duration longest) {
      if (longest.isNegative()) {
        throw new IllegalArgumentException("patience is " + longest + "; use zero or more");
      }
      patience = longest;
      return this;
    }

    @Override
    public TenantEraser build() {
      return new ErasureConfig(rota, archive, closing, patience);
    }
  }
}
