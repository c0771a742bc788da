package io.indexview.server.problem;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.PublishedValues.ValuesUnknownException;
import io.indexview.client.admin.SourceAdmin.SourceNotFoundException;
import io.indexview.client.admin.ViewAdmin.NoStandbyException;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.read.IndexViewReader.GenerationGoneException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.client.token.FreshnessGate.NotVisibleException;
import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.value.ValueEncoder.UnencodableException;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.SpecLog.VersionConflict;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.verification.GenericTargetException;
import io.indexview.views.definition.InvalidViewException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the failures of the client library and of verification mean to those who asked. */
final class ClientProblems {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClientProblems.class);
  private static final Duration UNAVAILABLE_RETRY = Duration.ofSeconds(5);

  private ClientProblems() {}

  /**
   * Empty: no failure that was foreseen.
   *
   * @param request that failed, for the log
   */
  static Optional<ProblemException> of(Throwable failure, String request) {
    if (failure instanceof ViewNotFoundException) {
      return Optional.of(problem(ProblemType.VIEW_NOT_FOUND, failure));
    }
    if (failure instanceof SourceNotFoundException) {
      return Optional.of(problem(ProblemType.SOURCE_NOT_FOUND, failure));
    }
    if (failure instanceof VersionConflict) {
      return Optional.of(problem(ProblemType.VERSION_MISMATCH, failure));
    }
    if (failure instanceof UnreadableSpec) {
      return Optional.of(problem(ProblemType.UNREADABLE_DEFINITION, failure));
    }
    if (failure instanceof GenericTargetException) {
      return Optional.of(problem(ProblemType.TARGET_NOT_READABLE, failure));
    }
    if (failure instanceof NotVerifiableException) {
      return Optional.of(problem(ProblemType.NOT_VERIFIABLE, failure));
    }
    if (failure instanceof NoStandbyException) {
      return Optional.of(problem(ProblemType.NO_STANDBY, failure));
    }
    if (failure instanceof InvalidViewException invalid) {
      return Optional.of(invalidDefinition(invalid));
    }
    if (failure instanceof UnencodableException) {
      return Optional.of(problem(ProblemType.INVALID_RECORD, failure));
    }
    Optional<ProblemException> reading = ReadProblems.of(failure);
    if (reading.isPresent()) {
      return reading;
    }
    if (failure instanceof KvStoreException.Refused
        || failure instanceof ItemStoreException.Rejected) {
      return Optional.of(problem(ProblemType.BAD_REQUEST, failure));
    }
    if (isUnavailable(failure)) {
      LOGGER.warn(
          "{} is answered with 503, and may succeed when it is sent again: {}",
          request,
          failure.getMessage());
      return Optional.of(
          new ProblemException(
              ProblemDetails.of(ProblemType.UNAVAILABLE, message(failure)),
              UNAVAILABLE_RETRY,
              failure));
    }
    return Optional.empty();
  }

  private static boolean isUnavailable(Throwable failure) {
    return failure instanceof RegistryException.Unavailable
        || failure instanceof ValuesUnknownException
        || failure instanceof KvStoreException.Unavailable
        || failure instanceof ItemStoreException.Unavailable
        || (failure instanceof KafkaException && !isForOperators(failure));
  }

  /** Waiting changes nothing: permissions, credentials, settings. */
  private static boolean isForOperators(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof AuthorizationException
          || cause instanceof AuthenticationException
          || cause instanceof ConfigException
          || cause instanceof SerializationException
          || cause instanceof UnsupportedVersionException) {
        return true;
      }
    }
    return false;
  }

  private static ProblemException invalidDefinition(InvalidViewException invalid) {
    // Its further lines are the problems, which follow as such.
    String subject = message(invalid).lines().findFirst().orElse("");
    ProblemDetails details =
        ProblemDetails.of(ProblemType.INVALID_DEFINITION, subject.replaceFirst(":$", ""));
    return new ProblemException(
        details.with(
            invalid.problems().stream()
                .map(p -> new ProblemDetails.Item(p.field(), p.value(), p.message()))
                .toList()));
  }

  private static ProblemException problem(ProblemType type, Throwable failure) {
    return ProblemException.of(type, message(failure));
  }

  private static String message(Throwable failure) {
    return String.valueOf(failure.getMessage());
  }

  /** What the failures of reading views mean to those who asked. */
  static final class ReadProblems {
    private static final Duration NOT_READY_RETRY = Duration.ofSeconds(5);

    private ReadProblems() {}

    /** Empty: none of these. */
    static Optional<ProblemException> of(Throwable failure) {
      if (failure instanceof InvalidQueryException invalid) {
        return Optional.of(invalidQuery(invalid));
      }
      if (failure instanceof InvalidPageTokenException) {
        return Optional.of(wrong("page", failure));
      }
      if (failure instanceof InvalidFreshnessTokenException) {
        return Optional.of(wrong("atLeast", failure));
      }
      if (failure instanceof TooManyRowsException) {
        return Optional.of(ProblemException.of(ProblemType.TOO_MANY_ROWS, failure.getMessage()));
      }
      if (failure instanceof GenerationGoneException) {
        return Optional.of(ProblemException.of(ProblemType.GENERATION_GONE, failure.getMessage()));
      }
      if (failure instanceof NotVisibleException) {
        return Optional.of(
            ProblemException.of(ProblemType.FRESHNESS_TIMEOUT, failure.getMessage()));
      }
      return failure instanceof ViewNotReadyException notReady
          ? Optional.of(notReady(notReady))
          : Optional.empty();
    }

    private static ProblemException invalidQuery(InvalidQueryException invalid) {
      return new ProblemException(
          ProblemDetails.of(ProblemType.BAD_REQUEST, invalid.getMessage())
              .with(
                  invalid.problems().stream()
                      .map(problem -> new ProblemDetails.Item("", "", problem))
                      .toList()));
    }

    private static ProblemException wrong(String parameter, Throwable failure) {
      return ProblemException.badParameters(
          List.of(new ProblemDetails.Item(parameter, "", failure.getMessage())));
    }

    private static ProblemException notReady(ViewNotReadyException notReady) {
      ProblemDetails details =
          ProblemDetails.of(ProblemType.NOT_READY, notReady.getMessage())
              .with("state", notReady.state().name());
      return new ProblemException(
          notReady.reason().isEmpty() ? details : details.with("reason", notReady.reason()),
          NOT_READY_RETRY,
          notReady);
    }
  }
}
