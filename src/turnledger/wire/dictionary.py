"""The dictionary for what model providers' JSON is made of besides content.

Part of the storage format: stored bytes need it as it is, for ever; a better one gets a tag of its own in
``compression``.  What is most frequent stands last, where referring to it takes the fewest bits.
"""

from __future__ import annotations

__all__ = ["PROVIDER_DICTIONARY"]

_GEMINI = b"""\
{"contents":[{"role":"user","parts":[{"text":"{"candidates": [{"content": {"parts": [{"text": "",\
"thoughtSignature": ""}],"role": "model"},"finishReason": "STOP","index": 0}],\
"usageMetadata": {"promptTokenCount": ,"candidatesTokenCount": ,"totalTokenCount": ,\
"cachedContentTokenCount": ,"promptTokensDetails": [{"modality": "TEXT","tokenCount": }],\
"thoughtsTokenCount": },"modelVersion": "gemini-","responseId": "{"functionCall":{"name":"",\
"args":{{"functionResponse":{"name":"","response":{"generationConfig":{"systemInstruction":{"parts":[{\
"functionDeclarations":[{"""

_ANTHROPIC = b"""\
{"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"",\
"cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"",\
"signature":"{"type":"tool_use","id":"toolu_01","name":"","input":{"type":"tool_result",\
"tool_use_id":"toolu_01","content":"","is_error":false}]}],"model":"claude-","system":[{"type":"text",\
"text":""}],"temperature":,"stream":true,"tool_choice":{"type":"auto"},"tools":[{"name":"",\
"description":"","input_schema":{"type":"object","properties":{{"model":"claude-","id":"msg_01",\
"type":"message","role":"assistant","content":[{"type":"text","text":""}],"stop_reason":"end_turn",\
"tool_use","stop_sequence":null,"usage":{"input_tokens":,"cache_creation_input_tokens":0,\
"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,\
"ephemeral_1h_input_tokens":0},"output_tokens":,"service_tier":"standard","inference_geo":"global"}}"""

_RESPONSES = b"""\
{
  "id": "resp_",
  "object": "response",
  "created_at": 17,
  "status": "completed",
  "background": false,
  "completed_at": 17,
  "error": null,
  "frequency_penalty": 0.0,
  "incomplete_details": null,
  "instructions": null,
  "max_output_tokens": null,
  "max_tool_calls": null,
  "model": "gpt-",
  "output": [
    {
      "id": "msg_",
      "type": "message",
      "status": "completed",
      "content": [
        {
          "type": "output_text",
          "annotations": [],
          "logprobs": [],
          "text": ""
        }
      ],
      "role": "assistant"
    },
    {
      "id": "rs_",
      "type": "reasoning",
      "encrypted_content": "",
      "summary": []
    },
    {
      "id": "fc_",
      "type": "function_call",
      "status": "completed",
      "arguments": "{}",
      "call_id": "call_",
      "name": ""
    }
  ],
  "parallel_tool_calls": true,
  "presence_penalty": 0.0,
  "previous_response_id": null,
  "prompt_cache_key": null,
  "prompt_cache_retention": null,
  "reasoning": {
    "effort": null,
    "summary": null
  },
  "safety_identifier": null,
  "service_tier": "default",
  "store": true,
  "temperature": 1.0,
  "text": {
    "format": {
      "type": "text"
    },
    "verbosity": "medium"
  },
  "tool_choice": "auto",
  "tools": [],
  "top_logprobs": 0,
  "top_p": 1.0,
  "truncation": "disabled",
  "usage": {
    "input_tokens": ,
    "input_tokens_details": {
      "cached_tokens": 0
    },
    "output_tokens": ,
    "output_tokens_details": {
      "reasoning_tokens": 0
    },
    "total_tokens":
  },
  "user": null,
  "metadata": {}
}"""

_RESPONSES_REQUEST = b"""\
{"include":["reasoning.encrypted_content"],"input":[{"role":"user","content":[{"type":"input_text",\
"text":""}]},{"type":"function_call","id":"fc_","call_id":"call_","name":"","arguments":"{}"},\
{"type":"function_call_output","call_id":"call_","output":""}],"instructions":"","model":"gpt-",\
"store":false,"stream":true,"text":{"format":{"type":"json_schema","schema":"strict":true,"""

_CHAT_COMPACT = b"""\
{"id":"chatcmpl-","object":"chat.completion","created":17,"model":"","choices":[{"index":0,\
"message":{"role":"assistant","content":"","reasoning_content":null,"reasoning":null,\
"tool_calls":[{"index":0,"id":"call_","type":"function","function":{"name":"","arguments":"{}"}}],\
"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":,\
"completion_tokens":,"total_tokens":,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},\
"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,\
"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":"fp_"}"""

_CHAT = b"""\
{
  "id": "chatcmpl-",
  "object": "chat.completion",
  "created": 17,
  "model": "gpt-",
  "choices": [
    {
      "index": 0,
      "message": {
        "role": "assistant",
        "content": null,
        "tool_calls": [
          {
            "id": "call_",
            "type": "function",
            "function": {
              "name": "",
              "arguments": "{\\"query\\":\\"\\"}"
            }
          }
        ],
        "refusal": null,
        "annotations": []
      },
      "logprobs": null,
      "finish_reason": "tool_calls"
      "finish_reason": "stop"
    }
  ],
  "usage": {
    "prompt_tokens": ,
    "completion_tokens": ,
    "total_tokens": ,
    "prompt_tokens_details": {
      "cached_tokens": 0,
      "audio_tokens": 0
    },
    "completion_tokens_details": {
      "reasoning_tokens": 0,
      "audio_tokens": 0,
      "accepted_prediction_tokens": 0,
      "rejected_prediction_tokens": 0
    }
  },
  "service_tier": "default",
  "system_fingerprint": "fp_"
}
"""

_CHAT_SORTED = b"""\
{"messages":[{"content":"","role":"system"},{"content":"","role":"user"},{"content":null,\
"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":""},"id":"call_",\
"type":"function"}]},{"content":"","name":"","role":"tool","tool_call_id":"call_"}],"model":"",\
"stream":true,"temperature":0.0,"tools":[{"function":{"description":"","name":"",\
"parameters":{"additionalProperties":false,"properties":{},"required":[""],"type":"object"}},\
"type":"function"}]}"""

_CHAT_REQUEST = b"""\
"}],"model":"gpt-","max_completion_tokens":,"reasoning_effort":"medium",\
"response_format":{"type":"json_object"},"stream":true,"stream_options":{"include_usage":true},\
"temperature":0.0,"top_p":1,"tool_choice":"auto","parallel_tool_calls":true,"tools":[{"type":"function",\
"function":{"name":"","description":"","parameters":{"type":"object","properties":{"":{"type":"string",\
"description":""},{"type":"integer","items":{"enum":[,"default":"anyOf":[{"type":"null"}],"title":""}},\
"required":[""],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"},\
"strict":true}},{"messages":[{"role":"system","content":""},{"role":"user","content":[{"type":"text",\
"text":""},{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}]},{"role":"assistant",\
"content":null,"tool_calls":[{"id":"call_","type":"function","function":{"name":"",\
"arguments":"{\\"query\\":\\"\\",\\"id\\":"}"}}]},{"role":"tool","tool_call_id":"call_",\
"content":"{"role":"assistant","content":""},{"role":"user","content":"\
"""

PROVIDER_DICTIONARY = b"".join(
    (
        _GEMINI,
        _ANTHROPIC,
        _RESPONSES,
        _RESPONSES_REQUEST,
        _CHAT_COMPACT,
        _CHAT,
        _CHAT_SORTED,
        _CHAT_REQUEST,
    )
)
"""A raw content dictionary (RFC 8878 section 5): any bytes, to which a frame may refer back."""
