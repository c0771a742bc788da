package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import java.util.List;
import java.util.Optional;

/**
 * The verifications of an installation: asks for them, tells how they are, cancels them. Safe for
 * use by several threads; all methods throw as {@link VerificationLog} does.
 */
public interface VerificationCatalog {
  /**
   * Asks for a verification of the generation that serves; a worker begins it within some seconds.
   * Of earlier ones the last are kept, and the last that compared all rows.
   *
   * @throws ViewNotFoundException if there is no such view
   * @throws NotVerifiableException if no generation serves, its target cannot be read here, or a
   *     verification of the view is not over
   */
  ViewVerification request(String view, VerificationOptions options);

  /** Verifications of all views, the newest first. */
  List<ViewVerification> all();

  /**
   * Verifications of a view, the newest first.
   *
   * @throws ViewNotFoundException if there is none, nor a view of the name
   */
  List<ViewVerification> list(String view);

  /** Returns a verification; empty: not known, or forgotten. */
  Optional<ViewVerification> get(String view, String id);

  /**
   * Ends one that is not over; one that is stays as it is.
   *
   * @return how it is then; empty: not known
   */
  Optional<ViewVerification> cancel(String view, String id);
}
